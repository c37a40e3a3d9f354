// The page with the program behind it: recordings, reports and live runs as a person meets them.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { executable, launch, open, screenshot } from '../support/browser.mjs';
import { kVersion } from '../support/encode.mjs';
import {
  program,
  readCsv,
  root,
  run,
  serve,
  speaks,
  temporaryFolder,
} from '../support/program.mjs';

const kReportBytes = 2e6;
const kPageBytes = 1e6;

describe.skipIf(!executable || !program || !speaks(kVersion))('the program', () => {
  const folder = temporaryFolder();
  const scene = folder.file('ramp.toml');
  let browser;
  let shown;
  let server;
  beforeAll(async () => {
    run('new', scene, '--template', 'ramp');
    run('run', scene, '--record', folder.file('ramp.h5'));
    browser = await launch();
  });
  afterEach(async () => {
    await shown?.context.close();
    await server?.stop();
    shown = server = undefined;
  });
  afterAll(async () => {
    await browser?.close();
    folder.remove();
  });

  const term = (page, name) =>
    page.locator(`#inspector dt:text-is("${name}") + dd`).innerText({ timeout: 5000 });
  const number = (text) => Number(text.replace(/−/g, '-').split(' ')[0]);
  const frameAt = (page, index) =>
    page.waitForFunction((k) => window.cornet.model.frame?.index === k, index);

  /** Chooses a contact and compares what is shown with the table of the recording. */
  async function compareContact(page, index) {
    run('convert', folder.file('ramp.h5'), '--to', 'csv', folder.file('tables'));
    const rows = readCsv(folder.file('tables/contacts.csv')).filter(
      (row) => row.frame === String(index),
    );
    const series = readCsv(folder.file('tables/series.csv'))[index];
    await page.locator('#scrub').fill(String(index));
    await frameAt(page, index);
    expect(await page.evaluate(() => window.cornet.model.frame.contactCount)).toBe(rows.length);
    const row = rows[1];
    const at = await page.evaluate(
      (point) => {
        const { view } = window.cornet;
        return view.picker.toPage(view.controls.target.clone().set(...point));
      },
      ['x', 'y', 'z'].map((key) => Number(row[key])),
    );
    await page.mouse.click(at.x, at.y);
    await page.waitForSelector('.verdict');
    const step = Number(series.step_size);
    const force = ['x', 'y', 'z'].map((key) => Number(row[`impulse_${key}`]) / step);
    const normal = ['nx', 'ny', 'nz'].map((key) => Number(row[key]));
    const pressing = force.reduce((sum, f, k) => sum + f * normal[k], 0);
    const friction = Math.hypot(...force.map((f, k) => f - pressing * normal[k]));
    const slip = Math.hypot(...['x', 'y', 'z'].map((key) => Number(row[`slip_${key}`])));
    const near = (text, value) => expect(number(text) / value).toBeCloseTo(1, 3);
    near(await term(page, 'Normal force'), pressing);
    near(await term(page, 'Friction force'), friction);
    near(await term(page, 'Slip speed'), slip);
    near(await term(page, 'Coefficient μ'), Number(row.mu));
    expect(await page.locator('.verdict').innerText()).toBe(
      row.state === 'slip' ? 'slips' : 'sticks',
    );
    expect(number(await page.locator('#plot-energy .entry b').first().innerText())).toBeCloseTo(
      Number(series.kinetic),
      3,
    );
  }

  it('writes a report that opens offline, plays, scrubs and shows the recorded numbers', async () => {
    const file = folder.file('ramp.html');
    run('report', folder.file('ramp.h5'), '-o', file);
    expect(statSync(file).size).toBeLessThan(kReportBytes);
    shown = await open(browser, pathToFileURL(file).href, { offline: true });
    const { page } = shown;
    await page.click('#play');
    await page.waitForFunction(() => window.cornet.model.index > 20);
    await page.click('#play');
    await compareContact(page, 100);
    const cursors = await page
      .locator('.plot')
      .evaluateAll((plots) => plots.map((plot) => Number(plot.dataset.cursorTime)));
    expect(cursors.length).toBeGreaterThanOrEqual(5);
    cursors.forEach((time) => expect(time).toBeCloseTo(0.5, 9));
    expect(await page.locator('#summary').innerText()).toMatch(
      /Worst certificate[\s\S]*Balance to/,
    );
    await page.click('#about > summary');
    expect(await page.locator('#about').innerText()).toContain('--record ramp.h5');
    expect(shown.seen.errors).toEqual([]);
    expect(shown.seen.requests.every((url) => /^(file|blob|data):/.test(url))).toBe(true);
    await page.keyboard.press('2');
    await screenshot(page, 'program_ramp');
  });

  it('serves a recording, frame by frame', async () => {
    server = await serve('view', folder.file('ramp.h5'));
    shown = await open(browser, server.address);
    await compareContact(shown.page, 150);
    expect(shown.seen.errors).toEqual([]);
    expect(await server.stop()).toBe(0);
  });

  it('refuses a wrong token, and paths', async () => {
    server = await serve('view', folder.file('ramp.h5'));
    const wrong = server.address.replace(/token=.*/, 'token=wrong');
    shown = await open(browser, wrong, { ready: false });
    await shown.page.waitForSelector('text=token in it is missing or wrong');
    const url = new URL(server.address);
    const answer = (path) => fetch(`${url.origin}${path}`).then((response) => response.status);
    expect(await answer('/data/header')).toBe(403);
    expect(await answer(`/etc/passwd${url.search}`)).toBe(404);
    expect(await answer(`/data/header${url.search}`)).toBe(200);
    expect((await (await fetch(url.origin)).text()).length).toBeLessThan(kPageBytes);
  });

  it('shows what is left of a recording that was cut off', async () => {
    const bytes = readFileSync(folder.file('ramp.h5'));
    writeFileSync(folder.file('cut.h5'), bytes.subarray(0, Math.floor(0.98 * bytes.length)));
    server = await serve('view', folder.file('cut.h5'));
    expect(server.said()).toContain('the end of the file is missing');
    shown = await open(browser, server.address, { ready: false });
    await shown.page.waitForSelector('#messages >> text=the end of the file is missing');
  });

  it('shows a live run that pauses, steps, resumes and restarts', async () => {
    server = await serve('view', scene, '--duration', '30');
    shown = await open(browser, server.address);
    const { page } = shown;
    const time = () =>
      page.evaluate(() =>
        window.cornet.model.source.series.at('time', window.cornet.model.frameCount - 1),
      );
    await page.waitForFunction(() => window.cornet.model.frameCount > 10);
    await page.click('#live-toggle');
    await page.waitForSelector('#live-toggle:has-text("Resume")');
    await page.waitForTimeout(200);
    const paused = await time();
    await page.waitForTimeout(300);
    expect(await time()).toBe(paused);
    await page.click('#live >> text=Step');
    await page.waitForFunction(
      (t) => window.cornet.model.source.series.at('time', window.cornet.model.frameCount - 1) > t,
      paused,
    );
    expect(await time()).toBeCloseTo(paused + 0.005, 9);
    await page.click('#live-toggle');
    await page.waitForFunction(
      (t) =>
        window.cornet.model.source.series.at('time', window.cornet.model.frameCount - 1) > t + 0.3,
      paused,
    );
    const before = await time();
    await page.click('#live >> text=Restart');
    await page.waitForFunction(
      (t) =>
        window.cornet.model.frameCount > 0 &&
        window.cornet.model.source.series.at('time', window.cornet.model.frameCount - 1) < t,
      before,
    );
    expect(shown.seen.errors).toEqual([]);
    await screenshot(page, 'program_live');
  });

  it('runs with what a slider says, and with what is saved', async () => {
    const own = folder.file('own.toml');
    const text = readFileSync(scene, 'utf8');
    writeFileSync(own, text);
    server = await serve('view', own, '--duration', '30');
    shown = await open(browser, server.address);
    const { page } = shown;
    const mu = (value) =>
      page.waitForFunction(
        (x) => Math.abs((window.cornet.model.frame?.contacts[8] ?? 0) - x) < 1e-6,
        value,
      );
    await mu(0.4);
    await page.locator('#parameter-mu').fill('0.8');
    await mu(0.8);
    await page.waitForFunction(() => window.cornet.model.time > 0.2);
    expect(await page.evaluate(() => window.cornet.model.frame.state(0))).toBe(1); // μ > tan θ: it sticks
    await page.locator('#parameter-theta').fill('50'); // the ramp itself turns
    await page.waitForFunction(
      () => window.cornet.model.frame?.contactCount && window.cornet.model.frame.state(0) === 2,
    );
    writeFileSync(own, text.replace('density = 1000', 'density = -1'));
    await page.waitForSelector('#messages >> text=the old one goes on');
    writeFileSync(own, text.replace('duration = 1.0', 'duration = 2.0'));
    await page.waitForFunction(
      () => !document.querySelector('#messages').textContent.includes('goes on'),
    );
    expect(shown.seen.errors).toEqual([]);
  });

  it('lets a body be pulled and marks the run', async () => {
    server = await serve('view', scene, '--duration', '30', '--set', 'mu=0.9');
    shown = await open(browser, server.address);
    const { page } = shown;
    await page.waitForFunction(() => window.cornet.model.frameCount > 3);
    const at = await page.evaluate(() => {
      const { view } = window.cornet;
      return view.picker.toPage(
        view.controls.target.clone().setFromMatrixPosition(view.bodies.pose(0)),
      );
    });
    await page.keyboard.down('Shift');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 20, at.y - 150, { steps: 5 });
    await page.waitForFunction(() => window.cornet.model.frame.bodies[2] > 0.08);
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.waitForSelector('#live-state:has-text("touched")');
  });

  it('draws the arch, the house of cards and the pile', async () => {
    const scenes = [
      ['comparison/arch', '0.2', '2'],
      ['demos/card_house', '0.2', '2'],
      ['demos/pile_200', '0.45', ''],
    ];
    for (const [name, duration, key] of scenes) {
      const file = folder.file('scene.html');
      run('run', `${root}scenes/${name}.toml`, '--duration', duration, '--report', file);
      expect(statSync(file).size).toBeLessThan(kReportBytes);
      shown = await open(browser, pathToFileURL(file).href, { offline: true });
      await shown.page.keyboard.press('End');
      if (key) await shown.page.keyboard.press(key);
      await shown.page.waitForFunction(() => window.cornet.model.ready);
      await shown.page.waitForTimeout(300);
      await screenshot(shown.page, `program_${name.split('/')[1]}`);
      expect(shown.seen.errors).toEqual([]);
      await shown.context.close();
    }
    shown = undefined;
  });
});
