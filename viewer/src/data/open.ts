import { DataError } from './format';
import { parseHeader } from './header';
import { Http } from './http';
import { LiveSource } from './live_source';
import { ReportSource } from './report_source';
import { ServerSource } from './server_source';
import type { DataSource } from './source';

/**
 * Data inside the page wins; else the program that served the page is asked.
 * meanwhile: done when all has been asked for and is on its way.
 */
export async function openSource<T>(meanwhile: () => T): Promise<[DataSource, T]> {
  const embedded = document.getElementById('cornet-data')?.textContent?.trim();
  if (!embedded && !location.protocol.startsWith('http')) {
    throw new DataError(
      'this page holds no recording. Open a report file, or the address that the program printed',
    );
  }
  if (embedded) return Promise.all([ReportSource.open(embedded), meanwhile()]);
  const http = new Http(new URL(location.href));
  const answer = await http.get('data/header');
  const header = parseHeader(
    await answer.json().catch(() => {
      throw new DataError('the header that the program sent is no valid JSON');
    }),
  );
  const source = header.live ? LiveSource.open(http, header) : ServerSource.open(http, header);
  return Promise.all([source, meanwhile()]);
}
