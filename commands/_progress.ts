const BAR_CELLS = 20;
const REDRAW_MS = 100;

/** Shows the progress of a long task. */
export interface Progress {
  /** Redraws the line, unless that was done a moment ago. */
  update(state: ProgressState): void;
  /** Removes the line, so that other text can be written; the next update draws it again. */
  clear(): void;
}

/** What a progress line shows. */
export interface ProgressState {
  /** The bytes read so far; needed only where their total is known. */
  readonly bytesRead?: number;
  /** The rows done so far. */
  readonly rows: number;
}

/** How a progress line is drawn. */
export interface ProgressOptions {
  /** Writes to the terminal. */
  readonly write: (text: string) => void;
  /** The width of the terminal in columns; without a terminal absent, and nothing is drawn. */
  readonly columns?: number;
  /** The number of bytes to read, if that is known. */
  readonly totalBytes?: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

/** Creates a progress line with a bar, the rate and the time left. */
export function createProgress(
  { write, columns, totalBytes, now = () => performance.now() }: ProgressOptions,
): Progress {
  const startedMs = now();
  let drawnMs = -Infinity;
  let isDrawn = false;

  function clear(): void {
    if (isDrawn) write("\r\x1b[K");
    isDrawn = false;
    drawnMs = -Infinity;
  }

  return {
    clear,
    update(state) {
      const nowMs = now();
      if (columns === undefined || nowMs - drawnMs < REDRAW_MS) return;
      const line = formatProgress(state, { elapsedMs: nowMs - startedMs, totalBytes });
      // A full last column would wrap on some terminals.
      write(`\r${line.slice(0, columns - 1)}\x1b[K`);
      drawnMs = nowMs;
      isDrawn = true;
    },
  };
}

/** Formats a progress line: ` 42% ████████············ 420,000 rows  85,000/s  0:07 left`. */
export function formatProgress(
  { bytesRead = 0, rows }: ProgressState,
  { elapsedMs, totalBytes }: { readonly elapsedMs: number; readonly totalBytes?: number },
): string {
  const rate = elapsedMs > 0 ? Math.round(rows / elapsedMs * 1_000) : 0;
  const speed = `${rows.toLocaleString("en")} rows  ${rate.toLocaleString("en")}/s`;
  if (totalBytes === undefined || totalBytes === 0) return speed;
  const part = Math.min(1, bytesRead / totalBytes);
  const cells = Math.floor(part * BAR_CELLS);
  const bar = "█".repeat(cells) + "·".repeat(BAR_CELLS - cells);
  const leftMs = part > 0 ? elapsedMs / part - elapsedMs : undefined;
  const left = leftMs === undefined ? "" : `  ${formatDuration(leftMs)} left`;
  return `${`${Math.floor(part * 100)}`.padStart(3)}% ${bar} ${speed}${left}`;
}

function formatDuration(durationMs: number): string {
  const seconds = Math.ceil(durationMs / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const twoDigits = (number: number) => `${number}`.padStart(2, "0");
  const rest = twoDigits(seconds % 60);
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${rest}` : `${minutes}:${rest}`;
}
