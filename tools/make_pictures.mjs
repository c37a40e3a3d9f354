// Draws docs/pictures/ramp.png: the page of a block that slides down a ramp, made and shown by the program itself.
//
//     node tools/make_pictures.mjs [PROGRAM]      (default: build/cornet; after ./do test, which installs what it needs)
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launch, open } from '../viewer/tests/support/browser.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = process.argv[2] ?? join(root, 'build/cornet');
const picture = join(root, 'docs/pictures/ramp.png');
const kFrame = 90; // it has begun to slide
const kView = [0.46, -0.7, 0.27, 0.12, 0, -0.03]; // camera, and what it looks at

const folder = mkdtempSync(join(tmpdir(), 'cornet-pictures-'));
const report = join(folder, 'ramp.html');
execFileSync(program, ['run', join(root, 'scenes/templates/ramp.toml'), '--report', report]);
const browser = await launch();
const { page } = await open(browser, pathToFileURL(report).href, {
  viewport: { width: 1280, height: 720 },
});
await page.evaluate(
  ([frame, view]) => {
    const { model } = window.cornet;
    model.setLayer('cones', true);
    model.seek(frame);
    model.select({ kind: 'contact', a: 1, b: 0, nth: 1 });
    window.cornet.view.setCamera(view);
  },
  [kFrame, kView],
);
await page.waitForFunction((frame) => window.cornet.model.frame?.index === frame, kFrame);
await page.waitForTimeout(500); // what was asked to be drawn is drawn
await page.screenshot({ path: picture });
await browser.close();
rmSync(folder, { recursive: true });
console.log(picture);
