/** Citations: what was cited, how often, and by whom. */

import { Area } from './area.js';
import { number, text } from './check.js';
import { splitSignal } from './calls.js';
import * as convert from './convert-recall.js';
import { citationDetail } from './generated/parsed.js';
import type { CitationDetail, PopularCitation } from './generated/types.js';
import { now, read } from './handle.js';
import type { PopularOptions } from './recall-types.js';
import type { CallOptions } from './types.js';

/** Citations in detail: an event with its neighbours and its use. */
export class Citations extends Area {
  /**
   * Reads an event by its citation as people type it (`a7Bc3x`, `mem:a7Bc3x`,
   * `[mem:a7Bc3x]`), with its neighbours and how often it was given to agents.
   *
   * @throws {MemoryError} `invalid_argument`, `not_found`, `corrupt`, `io`.
   */
  async detail(citation: string, options?: CallOptions): Promise<CitationDetail> {
    const wanted = text('citation', citation);
    const found = await read(this, options, (native, cancel) =>
      native.citationDetail(wanted, cancel),
    );
    return citationDetail(found);
  }

  /** As `detail`, blocking. */
  detailSync(citation: string): CitationDetail {
    const found = now(this, (native) => native.citationDetailSync(text('citation', citation)));
    return citationDetail(found);
  }

  /**
   * The citations that were given to agents most often, the most used first.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async popular(options?: PopularOptions & CallOptions): Promise<PopularCitation[]> {
    const { signal, rest } = splitSignal(options);
    const { limit, windowDays } = convert.popularOptions(rest);
    return read(this, { signal }, (native, cancel) =>
      native.popularCitations(limit, windowDays, cancel),
    ) as Promise<PopularCitation[]>;
  }

  /** As `popular`, blocking. */
  popularSync(options?: PopularOptions): PopularCitation[] {
    const { limit, windowDays } = convert.popularOptions(options);
    return now(this, (native) =>
      native.popularCitationsSync(limit, windowDays),
    ) as PopularCitation[];
  }

  /**
   * The sessions that an event was given to last, each once, the latest first; at most
   * `limit`, 1,000 by default.
   *
   * @throws {MemoryError} `invalid_argument`, `not_found`, `corrupt`, `io`.
   */
  async citingSessions(
    citation: string,
    limit?: number,
    options?: CallOptions,
  ): Promise<string[]> {
    const wanted = text('citation', citation);
    const most = limit === undefined ? undefined : number('limit', limit);
    return read(this, options, (native, cancel) => native.citingSessions(wanted, most, cancel));
  }

  /** As `citingSessions`, blocking. */
  citingSessionsSync(citation: string, limit?: number): string[] {
    const most = limit === undefined ? undefined : number('limit', limit);
    return now(this, (native) => native.citingSessionsSync(text('citation', citation), most));
  }
}
