import type { RouteContext } from "../branded.ts";
import { readReportInPieces } from "../../delivery/bounces/read_report.ts";
import {
  applyBounces,
  BOUNCE_SUMMARY,
  getBounceSecret,
  isBounceSecret,
  rotateBounceSecret,
} from "../../services/bounces.ts";
import { type InLimit, limitConcurrency } from "../../model/turns.ts";
import { object, text, textOrNull } from "../../model/declare.ts";
import { FORM_TYPE } from "../_http/body.ts";
import { type Context, type Operation, operation } from "../_http/operation.ts";
import { badValue, Problem, requestTimeout, validationFailed } from "../_http/problem.ts";
import { JSON_TYPE, jsonReply, type Reply } from "../_http/reply.ts";

const PATH = "/api/v1/changelogs/bounces";
// More reports at a time have to wait, so that a flood leaves storage to other calls.
const MAX_READING = 4;
const maxBytes = 1024 * 1024;
const TIMEOUT_MS = 10_000;
const NOT_FOUND = new Problem("not_found");
const EXAMPLE = `/bounces/${"0".repeat(32)}`;
const ADDRESS = object("BounceAddress", "The address that takes bounces.", {
  url: textOrNull(
    "The secret URL; `null` where the server has no public URL.",
    `https://updates.example.com${EXAMPLE}`,
    { rules: { format: "uri" } },
  ),
  path: text("Its path, behind the address of the server.", EXAMPLE),
});
const OF_THE_ADDRESS = {
  scope: "webhooks:write",
  successes: [{ status: 200, schema: ADDRESS }],
} as const;

/** Creates the operations on bounces and complaints. */
export function operations({ publicUrl }: RouteContext): readonly Operation[] {
  const inLimit = limitConcurrency(MAX_READING);

  function show(secret: string): Reply {
    const path = `/bounces/${secret}`;
    return jsonReply(200, { url: publicUrl === undefined ? null : `${publicUrl}${path}`, path });
  }

  return [
    operation("GET", PATH, {
      ...OF_THE_ADDRESS,
      operationId: "getBounceAddress",
      summary: "Read the address for bounces",
      run: async ({ storage }) => show(await getBounceSecret(storage)),
    }),

    operation("POST", `${PATH}/rotate`, {
      ...OF_THE_ADDRESS,
      operationId: "rotateBounceAddress",
      summary: "Replace the address for bounces",
      description: "Makes a new secret URL. The old one answers 404 from then on.",
      run: async ({ storage }) => show(await rotateBounceSecret(storage)),
    }),

    operation("POST", "/bounces/:secret", {
      operationId: "postBounces",
      summary: "Report bounces and complaints",
      description:
        "Takes events of Amazon SES (by SNS), Mailgun, Postmark, SendGrid, Brevo, Resend, " +
        "Mailjet and SparkPost, and mails: delivery reports (RFC 3464) and complaints (RFC " +
        "5965). Their shape tells them apart. The secret stands for a key. A body that can't " +
        "be read is a 422.",
      streams: {
        [JSON_TYPE]: { schema: "BounceEvents", maxBytes },
        "text/plain": { schema: "BounceEvents", maxBytes },
        [FORM_TYPE]: { schema: "BounceForm", maxBytes },
        "message/rfc822": { schema: "BounceMail", maxBytes },
        "multipart/report": { schema: "BounceMail", maxBytes },
      },
      successes: [{ status: 200, schema: BOUNCE_SUMMARY }],
      problems: ["not_found", "validation_failed", "storage_unavailable"],
      admit: async ({ storage, param }) =>
        await isBounceSecret(storage, param) ? undefined : NOT_FOUND,
      run: (context) => takeReport(context, inLimit),
    }),
  ];
}

async function takeReport(context: Context, inLimit: InLimit): Promise<Reply | Problem> {
  const { request: { headers }, storage, clock, warn } = context;
  const text = await readText(context);
  if (text instanceof Problem) return text;
  const report = await readReportInPieces({ contentType: headers.get("content-type") ?? "", text });
  if (typeof report === "string") {
    warn(`a report of bounces was not read: ${report}`);
    return validationFailed([badValue("body", `can't be read: ${report}`)]);
  }
  const { events, unknown, confirmUrl } = report;
  if (unknown > 0) warn(`${unknown} events of a report of bounces are of no known kind`);
  if (confirmUrl !== undefined) {
    // This module needs `node:http`, which nothing else in a handler loads.
    const { confirmSns } = await import("../../delivery/bounces/confirm_sns.ts");
    const problem = await confirmSns(confirmUrl);
    if (problem !== undefined) warn(`a subscription of Amazon SNS is not confirmed: ${problem}`);
  }
  const summary = await inLimit(() =>
    applyBounces(storage, events, {
      now: clock().text,
      onHeld: ({ entryId, problem }) => warn(`the delivery of ${entryId} is held: ${problem}`),
    })
  );
  const { read, ignored } = summary;
  return jsonReply(200, { ...summary, read: read + unknown, ignored: ignored + unknown });
}

/** Reads the body, which may have any encoding if it is a mail. */
async function readText({ chunks }: Context): Promise<string | Problem> {
  const endMs = performance.now() + TIMEOUT_MS;
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) {
    if (performance.now() > endMs) return requestTimeout(TIMEOUT_MS);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
