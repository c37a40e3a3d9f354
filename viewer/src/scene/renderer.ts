import { PCFShadowMap, WebGLRenderer } from 'three';

const kPollMs = 8;
const kLongestMs = 3000;

/** What draws into the canvas, or why there is nothing that can. */
export function makeRenderer(canvas: HTMLCanvasElement): WebGLRenderer | string {
  try {
    const renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: false });
    renderer.info.autoReset = false;
    renderer.shadowMap.type = PCFShadowMap;
    return renderer;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export function drawsInSoftware(renderer: WebGLRenderer): boolean {
  const context = renderer.getContext();
  const names = context.getExtension('WEBGL_debug_renderer_info');
  return /swiftshader|llvmpipe|software/i.test(
    names ? String(context.getParameter(names.UNMASKED_RENDERER_WEBGL)) : '',
  );
}

/** Until all that was asked of the graphics is drawn, or three seconds; asks now and then, so that nothing else waits. */
export async function allDrawn(renderer: WebGLRenderer): Promise<void> {
  const context = renderer.getContext() as WebGL2RenderingContext;
  const fence = context.fenceSync(context.SYNC_GPU_COMMANDS_COMPLETE, 0);
  if (!fence) return;
  context.flush();
  const begin = performance.now();
  while (
    context.getSyncParameter(fence, context.SYNC_STATUS) === context.UNSIGNALED &&
    performance.now() - begin < kLongestMs
  )
    await new Promise((resolve) => setTimeout(resolve, kPollMs));
  context.deleteSync(fence);
}
