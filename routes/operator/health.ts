import { StorageError } from "../../adapters/storage.ts";
import { type Operation, operation } from "../_http/operation.ts";
import { STOPPING } from "../_http/problem.ts";
import { jsonReply } from "../_http/reply.ts";

/** The operations that tell whether the server is well. */
export const healthOperations: readonly Operation[] = [
  operation("GET", "/livez", {
    operationId: "getLiveness",
    summary: "Check that the process runs",
    description: "For restarting a process that hangs.",
    tag: "Health",
    successes: [{ status: 200, description: "The process runs.", schema: "Health" }],
    run: () => jsonReply(200, { status: "ok" }),
  }),

  operation("GET", "/readyz", {
    operationId: "getReadiness",
    summary: "Check that the service can be used",
    description: "For routing requests: 503 while storage takes no writes or the server is " +
      "stopping.",
    tag: "Health",
    successes: [{
      status: 200,
      description: "Storage takes writes, and the server is not stopping.",
      schema: "Health",
    }],
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
