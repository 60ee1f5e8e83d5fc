import type { Entry } from "../../model/entries/entry.ts";
import type { ProofRequest } from "../../services/proof/admission.ts";
import type { SendOutcome } from "../../model/deliveries/mail_outcome.ts";

/** The worker in the process of a handler, as the handler uses it. */
export interface HandlerWorker {
  /** Makes the worker look for due work of one channel, or of all. */
  wake(channel?: "webhooks"): void;
  /** Mails an entry to one address. Rejects if the relay fails; absent if nothing can mail. */
  readonly sendTest?: ((entry: Entry, userEmail: string) => Promise<SendOutcome>) | undefined;
  /**
   * Makes the worker mail a link to a person who has sent a form with an address. Absent without a
   * mailer.
   */
  readonly askForProof?: ((request: ProofRequest) => void) | undefined;
  /** The options of the worker that override the settings in storage. Default: none. */
  readonly overrides?:
    | { readonly footer?: string | undefined; readonly replyTo?: string | undefined }
    | undefined;
}

/** A request as the handler logs it: without personal data, secrets, queries and content. */
export interface LogEvent {
  /** `error` if the service is at fault; `warn` if somebody has to look after it. */
  readonly level: "info" | "warn" | "error";
  /** The value of `X-Request-Id`. */
  readonly requestId: string;
  /** The method; `_OTHER` if the API has no such method (as in OpenTelemetry). */
  readonly method: string;
  /** The path as it was declared, like `/api/v1/boards/:boardId`; `null` if there is none. */
  readonly route: string | null;
  /**
   * The identifier of the caller's key, which is not secret; `operator` for the operator's own
   * key, and `null` if no key was needed or accepted.
   */
  readonly keyId: string | null;
  /** The status of the response. */
  readonly status: number;
  /** The duration until the response, in milliseconds. */
  readonly durationMs: number;
  /** The error that was thrown, for `error`. */
  readonly error?: unknown;
  /** The problem that somebody has to look after, for `warn`. */
  readonly warning?: string | undefined;
}
