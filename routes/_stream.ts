import type { BodyLimits } from "./_content.ts";
import { checkCodings, readMediaType } from "./_media_type.ts";
import { Problem, requestTimeout, STOPPING } from "./_problem.ts";

const CUT_SHORT = new Problem("malformed_body", "The body ended before it was complete");

/**
 * Returns a body of any length, to be read piece by piece, if it is of one of the types, or why it is
 * not taken. Reading it throws the {@linkcode Problem} that ended it early: `request_timeout`,
 * `malformed_body` or, where the server stops in the middle of it, `storage_unavailable`.
 */
export function openStream(
  request: Request,
  types: readonly string[],
  limits: BodyLimits,
): AsyncGenerator<Uint8Array> | Problem {
  const mediaType = checkCodings(request) ?? readMediaType(request, types);
  return mediaType instanceof Problem ? mediaType : readChunks(request, limits);
}

async function* readChunks(
  { body, headers }: Request,
  { timeoutMs, signal }: BodyLimits,
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  let end: Problem | undefined;
  let left = Number(headers.get("content-length") ?? 0);

  // Cancelling ends a read that is under way. A connection that is gone has nothing to cancel.
  function cancel(problem?: Problem): void {
    end ??= problem;
    reader.cancel().catch(() => {});
  }
  const stop = () => cancel(STOPPING);
  signal?.addEventListener("abort", stop);
  try {
    while (!signal?.aborted) {
      const timer = setTimeout(() => cancel(requestTimeout(timeoutMs)), timeoutMs);
      const { done, value } = await reader.read().catch(() => {
        throw signal?.aborted ? STOPPING : CUT_SHORT;
      }).finally(() => clearTimeout(timer));
      if (done) break;
      if (!ArrayBuffer.isView(value)) throw new TypeError("A body must be a stream of bytes");
      left -= value.length;
      yield value;
    }
    if (signal?.aborted) throw STOPPING;
    if (end !== undefined) throw end;
    // Over HTTP/2, Deno reports a body that its client broke off as complete.
    if (left > 0 && headers.get("transfer-encoding") === null) throw CUT_SHORT;
  } finally {
    signal?.removeEventListener("abort", stop);
    cancel();
  }
}
