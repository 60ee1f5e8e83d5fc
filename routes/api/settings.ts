import type { RouteContext } from "../branded.ts";
import { concat } from "../../std.ts";
import { LOGO_MAX_BYTES, LOGO_TYPES, parseLogo } from "../../model/brand.ts";
import { orDefault, settable } from "../../model/declare.ts";
import { changeOf, showRecord } from "../../model/resource.ts";
import {
  fixedFields,
  type LogoField,
  logoNameOf,
  logoPath,
  overridesOf,
  type SettingsOptions,
  type ShownSettings,
  SITE_SETTINGS,
  type SiteSettings,
} from "../../model/settings/settings.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { getSettings, updateLogo, updateSettings } from "../../services/settings/settings.ts";
import { changeReply, expectationOf, faultProblem, replyUnlessKnown } from "../_http/conditions.ts";
import { readablePart } from "../_http/credentials.ts";
import { type Context, type Operation, operation } from "../_http/operation.ts";
import { type FieldProblem, Problem, validationFailed } from "../_http/problem.ts";
import type { Reply } from "../_http/reply.ts";

const PATH = "/api/v1/settings";
const TYPES = [...Object.values(LOGO_TYPES), "application/octet-stream"];
const FILE = { schema: "ImageFile", maxBytes: LOGO_MAX_BYTES } as const;
const LOGOS = [
  { field: "logo", path: `${PATH}/logo`, name: "Logo", noun: "the logo" },
  {
    field: "logoDark",
    path: `${PATH}/logo-dark`,
    name: "DarkLogo",
    noun: "the logo for the dark scheme",
  },
] as const;

/** Creates the operations on the settings, some of which the options of the process may fix. */
export function operations(context: RouteContext): readonly Operation[] {
  const { publicUrl = "", worker } = context;
  const options: SettingsOptions = { ...context, ...worker?.overrides };
  const fixed = fixedFields(options);
  const overridden = overridesOf(options);

  function addressOf(field: LogoField, stored: string | null): string | null {
    const given = options[field] && parseLogo(options[field]);
    if (given !== undefined && !(given instanceof Refusal)) return publicUrl + logoPath(given);
    return stored === null ? null : publicUrl + logoPath({ name: logoNameOf(stored) });
  }

  function show(settings: SiteSettings): ShownSettings {
    return showRecord<SiteSettings, ShownSettings>(SITE_SETTINGS, { ...settings, ...overridden }, {
      logo: addressOf("logo", settings.logoId),
      logoDark: addressOf("logoDark", settings.logoDarkId),
      fixed,
    });
  }

  function refuseFixed(field: string): FieldProblem {
    const flag = `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return { field, code: "fixed", detail: `${field} is set by the option ${flag} of the server` };
  }

  /** Replies with what the caller may read of changed settings. */
  function reply(
    { caller, request }: Pick<Context, "caller" | "request">,
    settings: SiteSettings | "precondition_failed",
    fields: readonly string[],
  ): Reply | Problem {
    if (settings === "precondition_failed") {
      return faultProblem(settings, request, new Problem("not_found"));
    }
    return changeReply(show(settings), {
      show: (shown) =>
        readablePart(shown, caller, { scope: "entries:read", fields: [...fields, "updatedAt"] }),
    });
  }

  function updateOf({ request, now }: Pick<Context, "request" | "now">) {
    return { at: now.text, isExpected: expectationOf<SiteSettings>(request, show) };
  }

  async function changeLogo(
    context: Context,
    field: LogoField,
  ): Promise<Reply | Problem> {
    const { storage, chunks, request } = context;
    const pieces: Uint8Array[] = [];
    for await (const chunk of chunks) pieces.push(chunk);
    const isRemoval = request.method === "DELETE";
    const logo = isRemoval ? undefined : parseLogo(concat(pieces));
    if (logo instanceof Refusal) {
      const headers = { Accept: TYPES.join(", ") };
      return new Problem("unsupported_media_type", `The file ${logo.detail}`, { headers });
    }
    if (fixed.includes(field)) return validationFailed([refuseFixed(field)]);
    const changed = await updateLogo(storage, { field, logo }, updateOf(context));
    const response = reply(context, changed, [field]);
    return response instanceof Problem || !isRemoval ? response : { status: 204 };
  }

  return [
    operation("GET", PATH, {
      operationId: "getSettings",
      summary: "Read the settings",
      description: "Returns what readers see on all pages, in feeds and in mails.",
      scope: "entries:read",
      successes: [{ status: 200, schema: SITE_SETTINGS, headers: ["ETag"] }],
      run: async ({ request, storage }) =>
        replyUnlessKnown(request, show(await getSettings(storage))),
    }),

    operation("PATCH", PATH, {
      operationId: "changeSettings",
      summary: "Change the settings",
      description: "Changes only the given fields; `null` sets the default back. Every process " +
        "shows the change within 2 seconds. Without `entries:read`, the response has only these " +
        "fields.",
      scope: "settings:write",
      body: orDefault(settable(SITE_SETTINGS.fields)),
      isConditional: true,
      check: (body) =>
        fixed.filter((field) => (body as Readonly<Record<string, unknown>>)[field] !== undefined)
          .map(refuseFixed),
      successes: [{ status: 200, schema: SITE_SETTINGS, headers: ["ETag"] }],
      async run(context) {
        const { storage, body } = context;
        const change = changeOf<SiteSettings>(SITE_SETTINGS, body);
        const changed = await updateSettings(storage, change, updateOf(context));
        return reply(context as Context, changed, Object.keys(change));
      },
    }),

    ...LOGOS.flatMap(({ field, path, name, noun }) => [
      operation("PUT", path, {
        operationId: `set${name}`,
        summary: `Store ${noun}`,
        description: "Takes an SVG, PNG or WebP of up to 64 KiB, whose bytes tell its type. " +
          "Its address changes with the bytes.",
        scope: "settings:write",
        streams: Object.fromEntries(TYPES.map((type) => [type, FILE])),
        isConditional: true,
        successes: [{ status: 200, schema: SITE_SETTINGS, headers: ["ETag"] }],
        problems: ["validation_failed"],
        run: (context) => changeLogo(context, field),
      }),

      operation("DELETE", path, {
        operationId: `remove${name}`,
        summary: `Remove ${noun}`,
        scope: "settings:write",
        isConditional: true,
        successes: [{ status: 204, description: "There is none any more." }],
        problems: ["validation_failed"],
        run: (context) => changeLogo(context, field),
      }),
    ]),
  ];
}
