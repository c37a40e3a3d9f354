import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { builtPage, executable, launch, open, screenshot } from '../support/browser.mjs';
import { startServer } from '../support/mock_server.mjs';
import { rampScene } from '../support/scenes.mjs';

describe.skipIf(!executable)('a served page', () => {
  let browser;
  let server;
  let shown;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    await shown?.context.close();
    await server?.close();
    shown = server = undefined;
  });

  it('refuses a wrong token with a sentence', async () => {
    server = await startServer(builtPage(), rampScene());
    shown = await open(browser, server.address('wrong'), { ready: false });
    await shown.page.waitForSelector('.failure');
    expect(await shown.page.locator('.failure').innerText()).toMatch(
      /token in it is missing or wrong/,
    );
    await screenshot(shown.page, 'wrong_token');
  });

  it('fetches only the frames that are looked at', async () => {
    const scene = rampScene();
    const long = {
      ...scene,
      frames: Array.from({ length: 20000 }, (_, k) => ({
        ...scene.frames[k % 251],
        row: { ...scene.frames[k % 251].row, time: 0.01 * k },
      })),
    };
    server = await startServer(builtPage(), long);
    shown = await open(browser, server.address());
    const { page } = shown;
    expect(server.log.frames).toBeLessThan(200);
    await page.locator('#scrub').fill('15000');
    await page.waitForFunction(() => window.cornet.model.frame?.index === 15000);
    expect(server.log.frames).toBeLessThan(300);
    const before = server.log.requests.length;
    await page.locator('#scrub').fill('15001');
    await page.waitForFunction(() => window.cornet.model.frame?.index === 15001);
    expect(server.log.requests.length).toBe(before); // from the cache
    expect(shown.seen.errors).toEqual([]);
  });

  it('draws the first frame before it asks for more', async () => {
    server = await startServer(builtPage(), rampScene());
    const context = await browser.newContext();
    shown = { context };
    const page = await context.newPage();
    await page.route('**/data/frames/0/64*', () => undefined); // never answered
    await page.addInitScript(() => {
      window.pictures = [];
      new MutationObserver(() =>
        window.pictures.push({
          calls: window.cornet.view.drawCalls,
          frame: window.cornet.model.frame?.index,
          panels: getComputedStyle(document.querySelector('#top')).visibility,
        }),
      ).observe(document, { subtree: true, attributeFilter: ['data-draw-calls'] });
    });
    await page.goto(server.address());
    await page.waitForFunction(() => window.cornet?.complete);
    const pictures = await page.evaluate('window.pictures');
    expect(pictures[0]).toMatchObject({ frame: 0, panels: 'hidden' });
    expect(pictures.at(-1)).toMatchObject({ frame: 0, panels: 'visible' });
    expect(pictures.at(-1).calls).toBeGreaterThan(pictures[0].calls); // ground and shadows
    expect(server.log.requests.slice(0, 2)).toEqual(['/', '/data/header']);
    expect(server.log.requests.slice(2).sort()).toEqual([
      '/data/frames/0/1',
      '/data/frames/125/126',
      '/data/frames/250/251',
      '/data/series',
    ]);
  });

  it('catches up with a cursor that moves faster than frames come', async () => {
    const scene = rampScene();
    const long = { ...scene, frames: Array.from({ length: 10 }, () => scene.frames).flat() };
    long.frames = long.frames.map((frame, k) => ({
      ...frame,
      row: { ...frame.row, time: 0.01 * k },
    }));
    server = await startServer(builtPage(), long, { delayMs: 100 });
    shown = await open(browser, server.address());
    const { page } = shown;
    const before = server.log.requests.length;
    await page.evaluate(() => {
      for (let index = 200; index <= 2400; index += 40) window.cornet.model.seek(index);
    });
    await page.waitForFunction(() => window.cornet.model.frame?.index === 2400);
    expect(server.log.requests.length - before).toBeLessThanOrEqual(3);
    await page.keyboard.press('Space'); // plays across parts that must be fetched
    await page.waitForFunction(() => window.cornet.model.frame?.index > 2440, null, {
      timeout: 20000,
    });
    expect(shown.seen.errors).toEqual([]);
  });

  it('shows what can be read of a damaged recording', async () => {
    const scene = rampScene();
    const damaged = (index) => index < 2 || (index >= 60 && index < 70);
    server = await startServer(builtPage(), scene, { damaged });
    shown = await open(browser, server.address());
    const { page } = shown;
    await page.waitForSelector('text=Frame 0 cannot be read: the recording is damaged there');
    await page.evaluate(() => window.cornet.model.select({ kind: 'body', body: 0 }));
    await page.waitForFunction(
      (count) => window.cornet.model.track.count === count,
      scene.frames.length - 12,
    );
    await page.locator('#scrub').fill('55');
    await page.waitForFunction(() => window.cornet.model.frame?.index === 55);
    expect(await page.locator('#messages').innerText()).toBe('');
    await page.keyboard.press('Escape');
    await page.click('#play'); // across the frames that are not there
    await page.waitForFunction(() => window.cornet.model.frame?.index > 75);
    await page.evaluate(() => window.cornet.model.setPlaying(false)); // else the message soon goes
    await page.locator('#scrub').fill('65');
    await page.waitForSelector('text=Frame 65 cannot be read');
    expect(shown.seen.errors).toEqual([]);
  });

  it('tells when the program has ended', async () => {
    server = await startServer(builtPage(), rampScene());
    shown = await open(browser, server.address());
    await server.close();
    await shown.page.locator('#scrub').fill('200');
    await shown.page.waitForSelector('text=the program does not answer');
    server = undefined;
  });

  const live = async () => {
    const scene = rampScene();
    scene.header.parameters = [
      { name: 'mu', value: 0.5, min: 0, max: 1, title: 'Friction coefficient' },
    ];
    server = await startServer(builtPage(), scene, { live: true });
    shown = await open(browser, server.address());
    await shown.page.waitForFunction(() => window.cornet.model.frame?.index > 3);
    return shown.page;
  };
  const sent = async (type) => {
    await expect
      .poll(() => server.log.commands.some((command) => command.type === type), { timeout: 10000 })
      .toBe(true);
    return server.log.commands.findLast((command) => command.type === type);
  };

  it('follows a live run, pauses, resumes, steps and restarts it', async () => {
    const page = await live();
    await page.click('#live-toggle');
    await sent('pause');
    await page.waitForSelector('#live-toggle:has-text("Resume")');
    await page.waitForSelector('#overview:has-text("Every step seen is solved")');
    const paused = await page.evaluate(() => window.cornet.model.frameCount);
    await page.waitForTimeout(150);
    expect(await page.evaluate(() => window.cornet.model.frameCount)).toBe(paused);
    await page.click('#live >> text=Step');
    await page.waitForFunction((n) => window.cornet.model.frameCount === n + 1, paused);
    await page.click('#live-toggle');
    await sent('resume');
    await page.waitForFunction((n) => window.cornet.model.frameCount > n + 5, paused);
    await page.locator('#scrub').fill('2');
    await page.waitForFunction(
      () => window.cornet.model.frame?.index === 2 && !window.cornet.model.following,
    );
    await page.locator('#view').press('End');
    await page.waitForFunction(
      () => window.cornet.model.following && window.cornet.model.frame.index > 2,
    );
    const many = await page.evaluate(() => window.cornet.model.frameCount);
    await page.click('#live >> text=Restart');
    await sent('restart');
    await page.waitForFunction((n) => window.cornet.model.frameCount < n, many);
    await screenshot(page, 'live');
    expect(shown.seen.errors).toEqual([]);
  });

  it('sends sliders and pulls', async () => {
    const page = await live();
    await page.locator('#parameter-mu').fill('0.25');
    expect(await sent('set')).toEqual({ type: 'set', name: 'mu', value: 0.25 });
    await page.click('#live-toggle');
    await sent('pause');
    await page.waitForTimeout(300);
    const at = await page.evaluate(() => {
      const { view } = window.cornet;
      return view.picker.toPage(
        view.controls.target.clone().setFromMatrixPosition(view.bodies.pose(0)),
      );
    });
    const camera = await page.evaluate(() => window.cornet.view.cameraNumbers());
    await page.keyboard.down('Shift');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 30, at.y - 60, { steps: 4 });
    const pull = await sent('pull');
    await page.mouse.up();
    await page.keyboard.up('Shift');
    expect(pull.body).toBe(0);
    expect([...pull.point, ...pull.target].every(Number.isFinite)).toBe(true);
    await sent('release');
    expect(await page.evaluate(() => window.cornet.view.cameraNumbers())).toEqual(camera); // the view stood still
  });

  it('tells of a lost connection and comes back', async () => {
    const page = await live();
    server.drop();
    await page.waitForSelector('text=connection to the program is lost');
    await page.waitForFunction(
      () => !document.querySelector('#messages').textContent.includes('lost'),
      null,
      { timeout: 15000 },
    );
  });
});
