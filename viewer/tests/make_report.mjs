// Writes sample reports into test-output/: node tests/make_report.mjs
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { reportJson, reportPage } from './support/encode.mjs';
import { mechanismScene } from './support/mechanism.mjs';
import { pileScene, rampScene, shapesScene } from './support/scenes.mjs';

const page = readFileSync(new URL('../dist/index.html', import.meta.url), 'utf8');
const folder = new URL('../test-output/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, scene] of Object.entries({
  ramp: rampScene(),
  pile: pileScene(),
  shapes: shapesScene(),
  crank: mechanismScene(),
  crank_clean: mechanismScene({ clean: true }),
})) {
  writeFileSync(new URL(`${name}.html`, folder), reportPage(page, reportJson(scene)));
}
