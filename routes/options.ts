import type { Storage } from "../adapters/storage.ts";
import { BRAND_OPTIONS, type BrandOptions } from "../model/brand.ts";
import { parseOperatorKey } from "../model/crypto/key_secret.ts";
import {
  acceptOption,
  checkBoolean,
  checkFunction,
  checkNumber,
  checkOptions,
  checkRate,
  type OptionDeclarations,
  optionError,
  readRate,
  readSize,
} from "../model/options.ts";
import { checkOidc, type OidcOptions } from "../model/oidc/oidc_options.ts";
import { VOTE_RETENTION_OPTION } from "../model/posts/vote_retention.ts";
import { PUBLIC_URL_OPTION } from "../model/public_site.ts";
import { WEBHOOK_ALLOW_OPTION } from "../model/webhooks/webhook_url.ts";
import { isWebOrigin } from "./_http/cors.ts";
import type { HandlerWorker, LogEvent } from "./_http/embedding.ts";
import type { RateLimit } from "./_http/rate_limit.ts";

/** Options of {@linkcode createHandler}. */
export interface HandlerOptions extends BrandOptions {
  /** The storage of the records. The handler does not close it. */
  readonly storage: Storage;
  /** The path under which the handler is mounted, like `/feedback`. Default: none. */
  readonly basePath?: string | undefined;
  /**
   * The address of the service as the world sees it, like `https://example.com/feedback`. With it,
   * the changelog is public under `/changelog`. Default: none, and no public pages.
   */
  readonly publicUrl?: string | undefined;
  /**
   * A worker that was created on the same storage: it is told what was published, and sends test
   * mails. Default: none, and no test mails; what is published is sent by workers elsewhere.
   */
  readonly worker?: HandlerWorker | undefined;
  /**
   * Whether a page lets anybody subscribe by mail; requires `publicUrl` and a `worker` with a
   * mailer. Default: `false`.
   */
  readonly signUp?: boolean | undefined;
  /** Whether `/studio` is a page for the people who write, with an API key. Default: `false`. */
  readonly studio?: boolean | undefined;
  /**
   * The OpenID Connect provider at which people sign in to the studio; requires `studio` and
   * `publicUrl`. Register the redirect URI `{publicUrl}/studio/oidc/return` there. Default: none.
   */
  readonly oidc?: OidcOptions | undefined;
  /**
   * The maximum size of all images together, in bytes; 0 refuses images. Default: 209,715,200 (200
   * MiB).
   */
  readonly images?: number | undefined;
  /** Requests per key, or `false` for no limit. Default: 100 requests/s with a burst of 200. */
  readonly rateLimit?: RateLimit | false | undefined;
  /** The origins whose pages may call the API, like `https://app.example.com`. Default: none. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Hosts and ports that webhooks may use although they are not public, like `localhost:9000`. */
  readonly webhookAllow?: readonly string[] | undefined;
  /**
   * The time to keep the addresses of voters after their post was shipped or declined, in
   * milliseconds; `false` keeps them for ever. Pages mention it to visitors; the worker needs the
   * same value. Default: `false`.
   */
  readonly voteRetentionMs?: number | false | undefined;
  /** A key that the operator chooses; it holds every scope and is never stored. Default: none. */
  readonly operatorKey?: string | undefined;
  /** The time limit for the arrival of a body, in milliseconds. Default: 10,000. */
  readonly bodyTimeoutMs?: number | undefined;
  /**
   * Abort this signal when the server is about to stop: `/readyz` then answers 503, and so does a
   * request whose body is cut off.
   */
  readonly signal?: AbortSignal | undefined;
  /** Called once per request, when the response is known. Default: nothing is logged. */
  readonly log?: ((event: LogEvent) => void) | undefined;
  /** The time, in milliseconds since 1970. Default: `Date.now`. */
  readonly clock?: (() => number) | undefined;
  /**
   * Creates the identifier of a request that has none: 1 to 64 characters of `A-Za-z0-9._-`.
   * Default: a random UUID.
   */
  readonly createRequestId?: (() => string) | undefined;
}

const STORAGE_METHODS = ["get", "list", "transact", "ping"] as const;
const BASE_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*$/;
// Timers with a longer delay fire at once.
const MAX_TIMER_MS = 2 ** 31 - 1;

export const HANDLER_OPTIONS: OptionDeclarations<HandlerOptions> = {
  storage: () => {},
  basePath: {
    flag: "base-path /PATH",
    schema: { description: "The path under which everything is served." },
    parse: (path) => path.replace(/^\/$/, ""),
    check(path, option) {
      if (typeof path === "string" && BASE_PATH.test(path)) return;
      const remark = path === "/" ? "leave it out to mount at the root" : "write it like /feedback";
      throw optionError(option, `"${path}" can't be one; ${remark}`);
    },
  },
  rateLimit: {
    flag: "rate-limit N/s | N/m | off",
    schema: {
      description: "Requests per API key, with a burst of twice as many.",
      default: "100/s",
    },
    parse(text) {
      if (text === "off") return false;
      return readRate(text, { units: "sm", words: "off, nor a rate like 100/s or 6000/m" });
    },
    check(limit, option) {
      if (limit !== false) checkRate(limit, option);
    },
  },
  corsOrigins: {
    flag: "cors-origin ORIGIN",
    schema: {
      description: "An origin that browsers may call from; repeat it for more (in the variable, " +
        "separate origins with commas).",
      type: "array",
    },
    variable: "BOARDCAST_CORS_ORIGINS",
    check(origins, option) {
      if (!Array.isArray(origins)) throw optionError(option, "give an array of origins");
      const bad = origins.findIndex((origin) => !isWebOrigin(origin));
      if (bad < 0) return;
      throw optionError(option, `"${origins[bad]}" is not like https://app.example.com`);
    },
  },
  images: {
    flag: "images SIZE | off",
    schema: {
      description: "The most that all images of entries may have together, as in 200M.",
      default: "200M",
    },
    parse: readSize,
    check(bytes, option) {
      if (Number.isSafeInteger(bytes) && Number(bytes) >= 0) return;
      throw optionError(option, "give a whole number of bytes from 0", RangeError);
    },
  },
  publicUrl: PUBLIC_URL_OPTION,
  ...BRAND_OPTIONS,
  studio: {
    flag: "no-studio",
    schema: { description: "Serve no /studio, the page for the people who write." },
    sends: false,
    check: checkBoolean,
  },
  signUp: {
    flag: "sign-up",
    schema: {
      description: "Let anybody ask for the changelog by mail; needs --public-url and --mail.",
    },
    check: checkBoolean,
  },
  oidc: checkOidc,
  voteRetentionMs: VOTE_RETENTION_OPTION,
  webhookAllow: WEBHOOK_ALLOW_OPTION,
  worker(worker, option) {
    if (typeof (worker as HandlerWorker | null)?.wake === "function") return;
    throw optionError(option, "give what createWorker returned");
  },
  operatorKey(key, option) {
    if (typeof key !== "string") throw optionError(option, "give a string");
    acceptOption(option, parseOperatorKey(key));
  },
  bodyTimeoutMs: checkNumber(1, MAX_TIMER_MS),
  signal(signal, option) {
    if (typeof (signal as AbortSignal | null)?.aborted === "boolean") return;
    throw optionError(option, "give an AbortSignal");
  },
  log: checkFunction,
  clock: checkFunction,
  createRequestId: checkFunction,
};

/** Throws a `TypeError` or `RangeError` for invalid options. */
export function checkHandlerOptions(options: HandlerOptions): void {
  if (STORAGE_METHODS.some((name) => typeof options?.storage?.[name] !== "function")) {
    throw optionError("storage", "give what an adapter opened, awaited");
  }
  checkHandlerSettings(options);
  const { signUp, publicUrl, worker, oidc, studio } = options;
  if (signUp && (publicUrl === undefined || worker?.askForProof === undefined)) {
    throw optionError("signUp", "it needs a publicUrl, and a worker that mails");
  }
  if (oidc !== undefined && (publicUrl === undefined || !studio)) {
    throw optionError("oidc", "it needs a publicUrl and the studio");
  }
}

/**
 * Does the same for all options except the storage, so that a program can check them before it
 * opens one.
 */
export function checkHandlerSettings(settings: Partial<HandlerOptions>): void {
  checkOptions<HandlerOptions>(settings, HANDLER_OPTIONS);
}
