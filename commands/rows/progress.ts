const BAR_CELLS = 20;
const REDRAW_MS = 100;

/** A line on a terminal that shows the progress of work. */
export interface Progress {
  /** Redraws the line, ten times a second at most. */
  update(done: number): void;
  /** Removes the line, so that other text can be written; the next update draws it again. */
  clear(): void;
}

/** The options of a progress display. */
export interface ProgressOptions {
  readonly write: (text: string) => void;
  /** The width of the terminal; absent without a terminal, where nothing is drawn. */
  readonly columns: number | undefined;
  readonly unit: "bytes" | "records";
  /** The total amount of work, if known. */
  readonly total?: number | undefined;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

/** Creates a progress line: ` 42% ████████············ 17.1 MB  3.4 MB/s  0:07 left`. */
export function createProgress(
  { write, columns, unit, total, now = () => performance.now() }: ProgressOptions,
): Progress {
  const startedMs = now();
  let drawnMs = -Infinity;

  function format(done: number, elapsedMs: number): string {
    const rate = elapsedMs > 0 ? done / elapsedMs * 1_000 : 0;
    const speed = `${formatCount(done, unit)}  ${formatCount(rate, unit)}/s`;
    if (!total) return speed;
    const part = Math.min(1, done / total);
    const cells = Math.floor(part * BAR_CELLS);
    const bar = "█".repeat(cells) + "·".repeat(BAR_CELLS - cells);
    const left = part > 0 ? `  ${formatDuration(elapsedMs / part - elapsedMs)} left` : "";
    return `${`${Math.floor(part * 100)}`.padStart(3)}% ${bar} ${speed}${left}`;
  }

  return {
    update(done) {
      const nowMs = now();
      if (columns === undefined || nowMs - drawnMs < REDRAW_MS) return;
      // A full last column would wrap on some terminals.
      write(`\r${format(done, nowMs - startedMs).slice(0, columns - 1)}\x1b[K`);
      drawnMs = nowMs;
    },
    clear() {
      if (drawnMs > -Infinity) write("\r\x1b[K");
      drawnMs = -Infinity;
    },
  };
}

function formatCount(count: number, unit: ProgressOptions["unit"]): string {
  return unit === "bytes"
    ? `${(count / 1e6).toFixed(1)} MB`
    : `${Math.round(count).toLocaleString("en")} records`;
}

function formatDuration(durationMs: number): string {
  const seconds = Math.ceil(durationMs / 1_000);
  return `${Math.floor(seconds / 60)}:${`${seconds % 60}`.padStart(2, "0")}`;
}
