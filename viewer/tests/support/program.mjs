// The program itself: CORNET names it, or the one that ./do built is taken.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));
export const program =
  process.env.CORNET ??
  [join(root, 'build/release/cornet'), join(root, 'build/cornet')].find(existsSync);

/** Runs the program to its end and gives what it printed; exit code 6, a check that failed, is no fault. */
export function run(...words) {
  try {
    return execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    if (error.status === 6) return error.stdout;
    throw error;
  }
}

/** The data in a report: what the program gives to the page. */
export function reportData(file) {
  const found = /<script id="cornet-data" type="application\/json">([^<]*)<\/script>/.exec(
    readFileSync(file, 'utf8'),
  );
  if (!found) throw new Error(`${file} holds no data`);
  return JSON.parse(found[1]);
}

/** Whether the program's page data has the version of this page. */
export function speaks(version) {
  const folder = temporaryFolder();
  try {
    const [scene, page] = ['probe.toml', 'probe.html'].map(folder.file);
    run('new', scene, '--template', 'ramp');
    run('run', scene, '--duration', '0.01', '--report', page);
    return reportData(page).header.version === version;
  } finally {
    folder.remove();
  }
}

/** A folder that is gone after the tests. */
export function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), 'cornet-viewer-'));
  return {
    path,
    file: (name) => join(path, name),
    remove: () => rmSync(path, { recursive: true }),
  };
}

/** Rows of a table that `cornet convert` wrote, as objects. */
export function readCsv(file) {
  const [head, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  const names = head.split(',');
  return lines.map((line) =>
    Object.fromEntries(line.split(',').map((word, k) => [names[k], word])),
  );
}

/** Starts the program and waits for the address of its page. */
export async function serve(...words) {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const ended = new Promise((resolve) => child.on('exit', (code) => resolve(code)));
  const address = await new Promise((resolve, reject) => {
    const listen = (text) => {
      said += text;
      const found = /viewer at (\S+)\n/.exec(said);
      if (found) resolve(found[1]);
    };
    child.stderr.on('data', listen);
    child.stdout.on('data', listen);
    ended.then((code) => reject(new Error(`it ended with ${code}: ${said}`)));
  });
  return {
    address,
    said: () => said,
    /** Ctrl-C; its exit code. */
    stop: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}
