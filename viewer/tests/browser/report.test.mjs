import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { builtPage, executable, launch, open, screenshot } from '../support/browser.mjs';
import { reportJson, reportPage } from '../support/encode.mjs';
import { kG, kRamp, pileScene, rampScene, shapesScene } from '../support/scenes.mjs';

const scene = rampScene();
const state = (page) =>
  page.evaluate(() => {
    const { model, view } = window.cornet;
    const { selection } = model;
    return {
      index: model.index,
      time: model.time,
      playing: model.playing,
      shown: model.frame?.index,
      selection,
      body: view.bodies.pose(0).elements.slice(12, 15),
    };
  });
const term = (page, label) => page.locator(`#inspector dt:text-is("${label}") + dd`).innerText();

describe.skipIf(!executable)('a report', () => {
  let browser;
  let shown;
  const ramp = (hash = '') => ({
    name: `ramp${hash ? '_at' : ''}`,
    text: reportPage(builtPage(), reportJson(scene)),
  });
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    await shown?.context.close();
    shown = undefined;
  });

  it('is one page below 1 MB that loads nothing else', async () => {
    expect(builtPage().length).toBeLessThan(1 << 20);
    shown = await open(browser, ramp(), { offline: true });
    expect(
      shown.seen.requests.filter((url) => !url.startsWith('data:') && !url.startsWith('blob:')),
    ).toHaveLength(1);
    expect(shown.seen.errors).toEqual([]);
    expect(await shown.page.title()).toContain('Ramp');
    await screenshot(shown.page, 'ramp_light');
  });

  it('plays to its end, and pauses', async () => {
    shown = await open(browser, ramp());
    const { page } = shown;
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.cornet.model.index > 5);
    await page.keyboard.press('Space');
    const { index, playing } = await state(page);
    expect(playing).toBe(false);
    await page.waitForTimeout(200);
    expect((await state(page)).index).toBe(index);
    await page.selectOption('#speed', '10');
    await page.click('#play');
    await page.waitForFunction(
      (last) => window.cornet.model.index === last && !window.cornet.model.playing,
      kRamp.count - 1,
    );
  });

  it('scrubs: view, clock and plots share one cursor', async () => {
    shown = await open(browser, ramp());
    const { page } = shown;
    await page.locator('#scrub').fill('100');
    await page.waitForFunction(() => window.cornet.model.frame?.index === 100);
    expect(await page.locator('#clock').innerText()).toContain('1.000 s');
    const cursors = await page
      .locator('.plot')
      .evaluateAll((plots) => plots.map((plot) => Number(plot.dataset.cursorTime)));
    expect(cursors.length).toBe(6);
    cursors.forEach((time) => expect(time).toBe(1));
    const expected = scene.frames[100].bodies[0];
    (await state(page)).body.forEach((x, k) => expect(x).toBeCloseTo(expected[k], 5));
    expect(await page.locator('#plot-contacts .entry b').allInnerTexts()).toEqual(['4', '0']);
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft'])
      await page.locator('#view').press(key);
    expect((await state(page)).index).toBe(101);
  });

  it('a click in a plot moves the cursor of all', async () => {
    shown = await open(browser, ramp());
    const { page } = shown;
    const box = await page.locator('#plot-energy .u-over').boundingBox();
    await page.mouse.click(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
    await page.waitForFunction(
      () =>
        window.cornet.model.frame?.index === window.cornet.model.index &&
        window.cornet.model.index > 0,
    );
    const { time } = await state(page);
    expect(time).toBeGreaterThan(1.2);
    expect(time).toBeLessThan(1.3);
    const lines = await page
      .locator('.plot-cursor:visible')
      .evaluateAll((all) => all.map((line) => line.getBoundingClientRect().x));
    expect(lines.length).toBeGreaterThanOrEqual(4);
    lines.forEach((x) => expect(Math.abs(x - lines[0])).toBeLessThan(3)); // plots stand below each other
    await page.click('text=go to the worst');
    expect((await state(page)).index).toBe(kRamp.badFrame);
  });

  it('a click on a contact shows its numbers', async () => {
    shown = await open(browser, ramp());
    const { page } = shown;
    const at = await page.evaluate((p) => {
      const { view } = window.cornet;
      return view.picker.toPage(view.controls.target.clone().set(...p));
    }, scene.frames[0].contacts[1].point);
    await page.mouse.click(at.x, at.y);
    expect((await state(page)).selection).toEqual({ kind: 'contact', a: 1, b: 0, nth: 1 });
    const press = kRamp.mass * kG * Math.cos(kRamp.angle);
    const load = (press / 4) * (1 + (kRamp.mu * kRamp.half[2]) / kRamp.half[0]); // friction loads the front edge
    expect(await term(page, 'Normal force')).toBe(`${load.toPrecision(4)} N`);
    expect(await term(page, 'Friction force')).toBe(`${(kRamp.mu * load).toPrecision(4)} N`);
    expect(await page.locator('#cone-use').innerText()).toBe('1');
    expect(await term(page, 'Slip speed')).toBe('2 m/s');
    expect(await page.locator('.verdict').innerText()).toBe('slips');
    await page.keyboard.press('End');
    await page.waitForFunction(() => window.cornet.model.frame?.index === 250);
    expect(await page.locator('.verdict').innerText()).toBe('sticks');
    expect(Number(await page.locator('#cone-use').innerText())).toBeCloseTo(
      Math.tan(kRamp.angle) / kRamp.mu,
      4,
    );
    await screenshot(page, 'ramp_contact');
  });

  it('a click on a body shows and plots it; the address remembers', async () => {
    shown = await open(browser, ramp());
    const { page } = shown;
    await page.keyboard.press('/');
    await page.keyboard.type('bo');
    await page.keyboard.press('Enter');
    expect(await page.locator('#inspector h2').innerText()).toBe('box');
    expect(await term(page, 'Mass')).toBe('2 kg');
    await page.waitForSelector('#plot-pose canvas');
    expect(await page.locator('#plot-pose h2').innerText()).toBe('Pose of box');
    await page.locator('#scrub').fill('42');
    await page.waitForFunction(
      () =>
        location.hash.includes('t=0.42') &&
        location.hash.includes('sel=body:0') &&
        location.hash.includes('cam='),
    );
    const camera = await page.evaluate(() => window.cornet.view.cameraNumbers());
    await page.reload();
    await page.waitForFunction(
      () => window.cornet?.view?.drawCalls > 0 && window.cornet.model.frame?.index === 42,
    );
    expect((await state(page)).selection).toEqual({ kind: 'body', body: 0 });
    (await page.evaluate(() => window.cornet.view.cameraNumbers())).forEach((x, k) =>
      expect(x).toBeCloseTo(camera[k], 2),
    );
  });

  it('everything is reached by keys, with help', async () => {
    shown = await open(browser, ramp());
    const { page } = shown;
    await page.keyboard.press('?');
    expect(await page.locator('#help').isVisible()).toBe(true);
    await screenshot(page, 'help');
    await page.keyboard.press('?');
    expect(await page.locator('#help').isVisible()).toBe(false);
    await page.keyboard.press('2');
    expect(await page.locator('#layer-cones').isChecked()).toBe(true);
    await page.keyboard.press('c');
    expect((await state(page)).selection.kind).toBe('contact');
    await page.keyboard.press('b');
    expect((await state(page)).selection).toEqual({ kind: 'body', body: 0 });
    await page.keyboard.press('Escape');
    await page.keyboard.press('t');
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.keyboard.press('m');
    await page.waitForFunction((bad) => window.cornet.model.frame?.index === bad, kRamp.badFrame);
    await screenshot(page, 'ramp_dark');
    const unnamed = await page
      .locator('button, input, select, canvas#view')
      .evaluateAll(
        (all) =>
          all.filter(
            (e) => !e.getAttribute('aria-label') && !e.textContent.trim() && !e.closest('label'),
          ).length,
      );
    expect(unnamed).toBe(0);
    expect(shown.seen.errors).toEqual([]);
  });

  it('saves pictures, films and numbers', async () => {
    shown = await open(browser, ramp());
    const { page } = shown;
    const save = async (entry) => {
      await page.click('#export summary');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.click(`#export button:has-text("${entry}")`),
      ]);
      return { name: download.suggestedFilename(), data: readFileSync(await download.path()) };
    };
    const png = await save('PNG');
    expect(png.name).toMatch(/\.png$/);
    expect(png.data.subarray(1, 4).toString()).toBe('PNG');
    expect(png.data.length).toBeGreaterThan(10000);
    const csv = (await save('CSV')).data.toString().split('\n');
    expect(csv[0].split(',').slice(0, 3)).toEqual(['time', 'kinetic', 'potential']);
    expect(csv.length).toBe(kRamp.count + 2);
    await page.locator('#scrub').fill('150');
    const webm = await save('WebM');
    expect(webm.data.readUInt32BE(0)).toBe(0x1a45dfa3);
  });

  it('with 2,000 bodies needs few draw calls', async () => {
    shown = await open(browser, {
      name: 'pile',
      text: reportPage(builtPage(), reportJson(pileScene())),
    });
    const { page } = shown;
    expect(await page.evaluate(() => window.cornet.view.drawCalls)).toBeLessThanOrEqual(20);
    await page.locator('#scrub').fill('7');
    await page.waitForFunction(() => window.cornet.model.frame?.index === 7);
    expect(shown.seen.errors).toEqual([]);
    await screenshot(page, 'pile');
  });

  it('draws every shape, and many different hulls at once', async () => {
    shown = await open(browser, {
      name: 'shapes',
      text: reportPage(builtPage(), reportJson(shapesScene(300))),
    });
    expect(await shown.page.evaluate(() => window.cornet.view.drawCalls)).toBeLessThanOrEqual(20);
    expect(shown.seen.errors).toEqual([]);
    await screenshot(shown.page, 'shapes');
  });

  it('with frames that are not numbers shows them as such', async () => {
    const broken = structuredClone(scene);
    broken.frames[0].bodies[0][0] = NaN;
    broken.header.problem = 'the recording ends within a step';
    shown = await open(browser, { name: 'nan', text: reportPage(builtPage(), reportJson(broken)) });
    const { page } = shown;
    const text = await page.locator('#messages').innerText();
    expect(text).toContain('The recording ends within a step');
    expect(text).toContain('not a number (NaN) and cannot be drawn: box');
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => window.cornet.model.frame?.index === 1);
    expect(await page.locator('#messages').innerText()).not.toContain('NaN');
  });

  it.each([
    ['no data', '', /holds no recording/],
    ['cut JSON', '{"header": {', /no valid JSON/],
    [
      'another version',
      JSON.stringify({ ...reportJson(scene), header: { ...scene.header, version: 7 } }),
      /version 7, this page reads version 2/,
    ],
    [
      'a cut series',
      JSON.stringify({ ...reportJson(scene), series: 'abcd' }),
      /cannot be unpacked/,
    ],
  ])('with %s says so', async (name, json, message) => {
    shown = await open(
      browser,
      { name: 'damaged', text: reportPage(builtPage(), json) },
      { ready: false },
    );
    await shown.page.waitForSelector('.failure');
    expect(await shown.page.locator('.failure').innerText()).toMatch(message);
  });

  it('with a damaged part says so when it is reached', async () => {
    const json = reportJson(scene);
    json.frames[2] = 'abcd';
    shown = await open(browser, { name: 'part', text: reportPage(builtPage(), json) });
    await shown.page.locator('#scrub').fill('120');
    await shown.page.waitForSelector('text=Part 2 of the frames of the report cannot be unpacked');
  });
});
