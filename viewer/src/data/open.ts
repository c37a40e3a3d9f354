import { DataError } from './format';
import { parseHeader } from './header';
import { Http } from './http';
import { LiveSource } from './live_source';
import { ReportSource } from './report_source';
import { ServerSource } from './server_source';
import type { DataSource } from './source';

/** Data inside the page wins; else the program that served the page is asked. */
export async function openSource(): Promise<DataSource> {
  const embedded = document.getElementById('cornet-data')?.textContent?.trim();
  if (embedded) return ReportSource.open(embedded);
  if (!location.protocol.startsWith('http')) {
    throw new DataError(
      'this page holds no recording. Open a report file, or the address that the program printed',
    );
  }
  const http = new Http(new URL(location.href));
  const answer = await http.get('data/header');
  const header = parseHeader(
    await answer.json().catch(() => {
      throw new DataError('the header that the program sent is no valid JSON');
    }),
  );
  return header.live ? LiveSource.open(http, header) : ServerSource.open(http, header);
}
