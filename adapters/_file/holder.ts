// Always of one length, so that one heartbeat covers the one before it.
const BEAT_LENGTH = 24;

/** Who holds a lock, as it stands in the lock file. */
export interface Holder {
  readonly holder: string;
  readonly pid: number;
  readonly host: string | null;
  readonly since: string;
  /** Challengers wait for five times this. */
  heartbeatMs: number;
}

/** Returns the content of the lock file with the heartbeat of a number. */
export function formatBeat(self: Holder, beats: number): string {
  const digits = BEAT_LENGTH - String(self.heartbeatMs).length;
  return JSON.stringify({ ...self, heartbeat: String(beats).padStart(digits, "0") }) + "\n";
}

/** Reads the content of a lock file; `undefined` where it is none. */
export function parseHolder(text: string | undefined): Holder | undefined {
  try {
    const holder = JSON.parse(text ?? "");
    return typeof holder?.holder === "string" ? holder : undefined;
  } catch {
    return undefined;
  }
}

/** Tells people who holds the folder, by the content of its lock file. */
export function describeHolder(text: string | undefined): string {
  // Removed, or moved away with the folder.
  if (text === undefined) return "the lock file is gone";
  const holder = parseHolder(text);
  if (holder === undefined) return "another process holds it";
  const { pid, host, since } = holder;
  return `process ${pid}${host === null ? "" : ` on ${host}`} holds it since ${since}`;
}
