import {
  BackSide,
  Color,
  DoubleSide,
  type Material,
  MeshLambertMaterial,
  ShaderMaterial,
} from 'three';
import type { PartKind } from './parts';

// Thin dark edges on boxes and two-tone fields on round bodies, so that turning can be seen.
const kEdges = `
  vec2 edge = min(vUv, 1.0 - vUv) / max(fwidth(vUv), vec2(1e-6));
  diffuseColor.rgb *= mix(0.62, 1.0, smoothstep(0.5, 1.6, min(edge.x, edge.y)));`;
const kFields = `
  vec2 field = step(0.5, fract(vUv * vec2(2.0, 1.0)));
  diffuseColor.rgb *= abs(field.x - field.y) > 0.5 ? 0.8 : 1.0;`;

export function bodyMaterial(kind: PartKind): MeshLambertMaterial {
  const material = new MeshLambertMaterial({ color: '#ffffff' });
  if (kind === 'bowl') material.side = BackSide;
  if (kind.startsWith('mesh')) material.side = DoubleSide;
  const pattern =
    kind === 'box'
      ? kEdges
      : kind === 'sphere' || kind === 'cylinder' || kind === 'cone' || kind === 'tube'
        ? kFields
        : '';
  if (pattern) {
    material.defines = { USE_UV: '' };
    material.onBeforeCompile = (shader) => {
      shader.fragmentShader = shader.fragmentShader.replace(
        '#include <color_fragment>',
        `#include <color_fragment>${pattern}`,
      );
    };
    material.customProgramCacheKey = () => pattern;
  }
  return material;
}

/** A plane that fades into the background. */
export function surfaceMaterial(): MeshLambertMaterial {
  const material = new MeshLambertMaterial({
    transparent: true,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
  material.defines = { USE_UV: '' };
  material.onBeforeCompile = (shader) => {
    shader.fragmentShader = shader.fragmentShader.replace(
      '#include <color_fragment>',
      '#include <color_fragment>\n  diffuseColor.a *= 1.0 - smoothstep(0.2, 0.95, 2.0 * length(vUv - 0.5));',
    );
  };
  return material;
}

/** Lines on a plane that fade with the distance from its middle. */
export function gridMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    polygonOffset: true,
    polygonOffsetFactor: -1,
    polygonOffsetUnits: -1,
    uniforms: { color: { value: new Color() }, spacing: { value: 1 }, radius: { value: 10 } },
    vertexShader: `
      varying vec2 place;
      void main() {
        mat4 model = modelMatrix;
        #ifdef USE_INSTANCING
          model = modelMatrix * instanceMatrix;
        #endif
        place = position.xy * vec2(length(model[0].xyz), length(model[1].xyz));
        gl_Position = projectionMatrix * viewMatrix * model * vec4(position, 1.0);
      }`,
    fragmentShader: `
      varying vec2 place;
      uniform vec3 color;
      uniform float spacing, radius;
      float lines(vec2 p, float width) {
        vec2 w = fwidth(p);
        vec2 d = abs(fract(p - 0.5) - 0.5) / max(w, vec2(1e-6));
        float fade = 1.0 - smoothstep(0.15, 0.5, max(w.x, w.y));
        return (1.0 - smoothstep(width - 0.5, width + 0.5, min(d.x, d.y))) * fade;
      }
      void main() {
        float strength = max(0.28 * lines(place / spacing, 0.5), 0.5 * lines(place / (5.0 * spacing), 0.6));
        float fade = 1.0 - smoothstep(0.1, 0.8, length(place) / radius);
        gl_FragColor = vec4(color, strength * fade);
        #include <colorspace_fragment>
      }`,
  });
}

export function setGhost(material: Material, on: boolean): void {
  material.transparent = on;
  material.opacity = on ? 0.28 : 1;
  material.depthWrite = !on;
  material.needsUpdate = true;
}
