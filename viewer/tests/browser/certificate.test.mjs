// Certificate of whole steps, and joints, as a person meets them.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { builtPage, executable, launch, open, screenshot } from '../support/browser.mjs';
import { kVersion, reportJson, reportPage } from '../support/encode.mjs';
import { crankAt, kCrank, mechanismScene } from '../support/mechanism.mjs';
import { program, readCsv, reportData, run, speaks, temporaryFolder } from '../support/program.mjs';
import { pileScene } from '../support/scenes.mjs';

const kPageBytes = 800e3;
const number = (text) => Number(text.replace(/−/g, '-').split(' ')[0]);

describe.skipIf(!executable)('the certificate of whole steps', () => {
  let browser;
  let shown;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    await shown?.context.close();
    shown = undefined;
  });

  async function show(name, json, size = { width: 1280, height: 720 }) {
    shown = await open(
      browser,
      { name, text: reportPage(builtPage(), json) },
      { offline: true, viewport: size },
    );
    return shown.page;
  }
  const at = (page, index) =>
    page.evaluate((k) => window.cornet.model.seek(k), index).then(() =>
      page.waitForFunction((k) => window.cornet.model.frame?.index === k, index),
    );
  const text = (page, id) => page.locator(`#${id}`).innerText();
  const bad = (page) =>
    page
      .locator('.measure.bad')
      .evaluateAll((rows) => rows.map((measure) => measure.dataset.measure));
  const redPixels = (page) =>
    page.locator('.marks').evaluate((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const columns = new Map();
      for (let k = 0; k < data.length / 4; ++k)
        if (data[4 * k + 3] > 200)
          columns.set(k % canvas.width, (columns.get(k % canvas.width) ?? 0) + 1);
      return { heights: [...columns.values()], height: canvas.height };
    });

  it('counts inaccurate steps, leads to the worst and chooses its body', async () => {
    expect(builtPage().length).toBeLessThan(kPageBytes);
    const page = await show('crank', reportJson(mechanismScene()));
    expect(await text(page, 'overview')).toBe('7 inaccurate steps, 1 unsolved');
    expect(await text(page, 'worst-step')).toBe('Worst: closure, 300 × its bound, at 0.42 s');
    expect(await text(page, 'certificate')).toContain('Start: no step yet');
    await page.click('#certificate >> text=go to it');
    await page.waitForFunction((k) => window.cornet.model.frame?.index === k, kCrank.worst);
    expect(await page.evaluate(() => window.cornet.model.selection)).toEqual({
      kind: 'body',
      body: 1,
    });
    expect(await page.locator('#inspector h2').innerText()).toBe('rod');
    expect(await text(page, 'step-verdict')).toBe('inaccurate');
    expect(await bad(page)).toEqual(['closure']);
    const closure = page.locator('[data-measure=closure]');
    expect(number(await closure.locator('b').innerText())).toBe(3e-6);
    expect(number(await closure.locator('small').innerText())).toBe(1e-8);
    expect(await text(page, 'worst-body')).toBe('Worst: closure of rod');
    expect(await page.locator('#plot-certificate .entry b').nth(1).innerText()).toBe('300');
    await screenshot(page, 'certificate_inaccurate');
    expect(shown.seen.errors).toEqual([]);
  });

  it('tells unsolved from inaccurate, and names bodies that can be chosen', async () => {
    const page = await show('crank', reportJson(mechanismScene()));
    await at(page, kCrank.unsolved);
    expect(await text(page, 'step-verdict')).toBe('not solved');
    expect(await bad(page)).toEqual(['law']);
    await at(page, kCrank.pushed);
    expect(await bad(page)).toEqual(['momentum']);
    await page.click('#worst-body >> text=piston');
    expect(await page.locator('#inspector h2').innerText()).toBe('piston');
    await at(page, 10);
    expect([await text(page, 'step-verdict'), await bad(page)]).toEqual(['accurate', []]);
    const { heights, height } = await redPixels(page);
    expect(heights.filter((h) => h === height)).toHaveLength(2); // one step, two pixels wide
    expect(heights.length).toBeGreaterThanOrEqual(8);
    await page.keyboard.press('m');
    await page.waitForFunction((k) => window.cornet.model.frame?.index === k, kCrank.worst);
  });

  it('says so when every step is accurate, and when nothing was measured', async () => {
    let page = await show('crank_clean', reportJson(mechanismScene({ clean: true })));
    expect(await text(page, 'overview')).toBe('Every step accurate');
    expect(await text(page, 'worst-step')).toMatch(
      /^Worst: unexplained motion, 0.00\d+ × its bound/,
    );
    expect((await redPixels(page)).heights).toEqual([]);
    await screenshot(page, 'certificate_clean');
    await shown.context.close();
    page = await show('old', reportJson(pileScene(20, 3)));
    await at(page, 1);
    expect(await text(page, 'overview')).toBe('Every step solved');
    expect(await text(page, 'step-verdict')).toBe('solved');
    expect(await page.locator('[data-measure=momentum] b').innerText()).toBe('–');
    expect(await page.locator('#joints').count()).toBe(0);
    expect(await page.locator('#layer-joints').count()).toBe(0);
  });

  it('lists joints with their numbers and draws the chosen one', async () => {
    const page = await show('crank', reportJson(mechanismScene()));
    await at(page, 30);
    const { angle, x, v, a } = crankAt(0.3);
    const cells = (joint) => page.locator('button.joint').nth(joint).locator('.numbers span');
    const shownCells = async (joint) =>
      (await cells(joint).allInnerTexts()).filter((cell) => cell.trim());
    const [position, rate, error, force, torque, effort, power] = await shownCells(0);
    expect([position, rate, error]).toEqual([`${angle} rad`, '4 rad/s', '2.0e−14 m']);
    const push = kCrank.mass * a;
    const lean = Math.asin((kCrank.radius * Math.sin(angle)) / kCrank.rod);
    expect(number(force)).toBeCloseTo(Math.abs(push / Math.cos(lean)), 1);
    expect(number(torque) / Math.abs((push * v) / kCrank.omega)).toBeCloseTo(1, 2);
    expect(number(effort) / ((push * v) / kCrank.omega)).toBeCloseTo(1, 2);
    expect(number(power) / (push * v)).toBeCloseTo(1, 2);
    expect((await shownCells(2)).slice(0, 2)).toEqual(['–', '–']); // a ball has no position
    const slider = await shownCells(3);
    expect(number(slider[0])).toBeCloseTo(x - kCrank.radius - kCrank.rod, 2);
    expect([slider[0].split(' ')[1], slider[1].split(' ')[1]]).toEqual(['m', 'm/s']);
    const calls = await page.evaluate(() => window.cornet.view.drawCalls);
    await page.click('button.joint >> nth=0');
    expect(await page.locator('#inspector h2').innerText()).toBe('drive');
    expect(await page.locator('button.joint[aria-pressed=true] b').innerText()).toBe('drive');
    expect(await text(page, 'legend')).toMatch(/joint force[\s\S]*torque, .* N m per m/);
    await page.waitForFunction((n) => window.cornet.view.drawCalls > n, calls); // its arrows
    await page.waitForFunction(() => location.hash.includes('sel=joint:0'));
    await screenshot(page, 'joint');
    await page.keyboard.press('j');
    expect(await page.locator('#inspector h2').innerText()).toBe('hinge crank-rod');
    const [dot] = await page.evaluate(() => {
      const { view } = window.cornet;
      return [view.picker.toPage(view.joints.points[3])];
    });
    await page.mouse.click(dot.x, dot.y);
    expect(await page.locator('#inspector h2').innerText()).toBe('slider ground-piston');
    await page.keyboard.press('Escape');
    await page.keyboard.press('9');
    expect(await page.evaluate(() => window.cornet.view.joints.points.some(Boolean))).toBe(false);
    expect(shown.seen.errors).toEqual([]);
  });

  it('overlaps nothing in a small window', async () => {
    for (const size of [
      { width: 1280, height: 720 },
      { width: 1024, height: 720 },
    ]) {
      const page = await show('crank', reportJson(mechanismScene()), size);
      await page.keyboard.press('m');
      await page.keyboard.press('j');
      await page.waitForFunction((k) => window.cornet.model.frame?.index === k, kCrank.worst);
      const wide = await page.evaluate(() =>
        [...document.querySelectorAll('#certificate, #joints, .measure, .joints, .plot-head')]
          .filter((part) => part.scrollWidth > part.clientWidth + 1)
          .map((part) => part.className || part.id),
      );
      expect(wide).toEqual([]);
      const touching = await page.locator('.measure').evaluateAll((rows) =>
        rows.filter((row) => {
          const boxes = [...row.children]
            .map((cell) => {
              const content = document.createRange();
              content.selectNodeContents(cell);
              return (cell.className === 'bar' ? cell : content).getBoundingClientRect();
            })
            .filter((box) => box.width > 0);
          return boxes.some((box, k) => k > 0 && box.left < boxes[k - 1].right + 1);
        }).length,
      );
      expect(touching).toBe(0);
      await shown.context.close();
    }
    shown = undefined;
  });

  it.skipIf(!program || !speaks(kVersion))('agrees with the tables of the program', async () => {
    const folder = temporaryFolder();
    try {
      run('new', folder.file('ramp.toml'), '--template', 'ramp');
      const [record, report] = ['ramp.h5', 'ramp.html'].map(folder.file);
      run('run', folder.file('ramp.toml'), '--record', record, '--report', report);
      run('convert', record, '--to', 'csv', folder.file('tables'));
      const rows = readCsv(folder.file('tables/series.csv'));
      const page = await show('program_certificate', reportData(report));
      const total = rows.reduce((sum, row) => sum + Number(row.inaccurate), 0);
      const said = await text(page, 'overview');
      expect(total ? parseInt(said, 10) : said).toBe(total || 'Every step accurate');
      await at(page, 100);
      for (const name of ['closure', 'new_overlap', 'unexplained', 'momentum', 'energy_gain']) {
        const value = number(await page.locator(`[data-measure=${name}] b`).innerText());
        const exact = Number(rows[100][name]);
        expect(Math.abs(value - exact)).toBeLessThanOrEqual(0.06 * exact);
      }
      expect(shown.seen.errors).toEqual([]);
    } finally {
      folder.remove();
    }
  });
});
