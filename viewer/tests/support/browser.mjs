// Chromium of the system, drawing in software; CHROMIUM names another one.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const kPlaces = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
export const executable = kPlaces.find((path) => path && existsSync(path));
const pagePath = new URL('../../dist/index.html', import.meta.url);
export const output = new URL('../../test-output/', import.meta.url);

export function builtPage() {
  if (!existsSync(pagePath)) throw new Error('dist/index.html is missing: npm run build');
  return readFileSync(pagePath, 'utf8');
}

export const launch = () =>
  chromium.launch({
    executablePath: executable,
    args: [
      '--no-sandbox',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--ignore-gpu-blocklist',
    ],
  });

/** A new page that keeps all its errors and requests; where: an address or the name and text of a file. */
export async function open(browser, where, { ready = true, ...options } = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    acceptDownloads: true,
    ...options,
  });
  const page = await context.newPage();
  const seen = { errors: [], requests: [] };
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !/GPU stall/.test(message.text()))
      seen.errors.push(message.text());
  });
  page.on('pageerror', (error) => seen.errors.push(String(error)));
  page.on('request', (request) => seen.requests.push(request.url()));
  await page.goto(typeof where === 'string' ? where : fileAddress(where.name, where.text));
  if (ready)
    await page.waitForFunction(() => window.cornet?.complete && window.cornet.view.drawCalls > 0);
  return { page, context, seen };
}

export function fileAddress(name, text) {
  mkdirSync(output, { recursive: true });
  const file = new URL(`${name}.html`, output);
  writeFileSync(file, text);
  return file.href;
}

export async function screenshot(page, name) {
  mkdirSync(output, { recursive: true });
  await page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, output)) });
}
