import { StorageError } from "../../adapters/storage.ts";
import { object, text } from "../../model/declare.ts";
import { type Operation, operation } from "../_http/operation.ts";
import { STOPPING } from "../_http/problem.ts";
import { jsonReply } from "../_http/reply.ts";

const HEALTH = object("Health", "All is well.", {
  status: text("Always `ok`.", "ok", { rules: { const: "ok" } }),
});

/** The operations for health checks. */
export const operations = (): readonly Operation[] => [
  operation("GET", "/livez", {
    operationId: "getLiveness",
    summary: "Check that the process runs",
    description: "For restarting a process that hangs.",
    successes: [{ status: 200, schema: HEALTH }],
    run: () => jsonReply(200, { status: "ok" }),
  }),

  operation("GET", "/readyz", {
    operationId: "getReadiness",
    summary: "Check that the service can be used",
    description: "For routing requests: 503 while storage takes no writes or the server is " +
      "stopping.",
    successes: [{ status: 200, schema: HEALTH }],
    problems: ["storage_unavailable"],
    async run({ storage, signal }) {
      if (signal?.aborted) return STOPPING;
      try {
        await storage.ping();
      } catch (cause) {
        throw new StorageError("unavailable", "Storage takes no writes", { cause });
      }
      return jsonReply(200, { status: "ok" });
    },
  }),
];
