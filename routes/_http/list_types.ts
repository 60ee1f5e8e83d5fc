import { accepts } from "../../std.ts";
import { CSV_TYPE, JSON_TYPE, NDJSON_TYPE } from "./reply.ts";

/** Returns the media type in which a client would like to have the list. */
export function negotiateList(request: Request): string {
  const accept = request.headers.get("accept")?.toLowerCase() ?? "";
  if (!accept.includes(NDJSON_TYPE) && !accept.includes(CSV_TYPE)) return JSON_TYPE;
  return accepts(request, JSON_TYPE, NDJSON_TYPE, CSV_TYPE) ?? JSON_TYPE;
}

/** Tells whether a client would rather have CSV than NDJSON. */
export function prefersCsv(request: Request): boolean {
  const accept = request.headers.get("accept")?.toLowerCase() ?? "";
  return accept.includes(CSV_TYPE) && accepts(request, NDJSON_TYPE, CSV_TYPE) === CSV_TYPE;
}
