import type { Storage } from "../adapters/storage.ts";
import { type Changelog, CHANGELOGS } from "../model/kinds.ts";

/** The key of the changelog's only record. */
export const CHANGELOG_ID = "changelog";

/**
 * Returns the record of the changelog as a whole; it may be missing before the first publication.
 */
export function getChangelog(storage: Storage): Promise<Changelog | undefined> {
  return storage.get(CHANGELOGS, CHANGELOG_ID);
}
