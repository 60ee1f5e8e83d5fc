import { BODY_TIMEOUT_MS, MAX_BODY_BYTES } from "../_body.ts";
import { MAX_FIELDS } from "../_form.ts";

/** What all operations have in common: paragraphs, headings and lists in CommonMark. */
export const GUIDE: string = `
Feedback boards and changelog subscriptions over HTTP, on a server of your own.

## Paths and methods

Every API path lies under \`/api/v1\` and is matched exactly: upper and lower case differ, and there is no variant with a slash at the end. Path parameters are percent-encoded UTF-8.

\`HEAD\` answers like \`GET\` without content. \`OPTIONS\` answers 204, with the methods of the path in \`Allow\`.

## Authentication

Send an API key with every request under \`/api/v1\`, as \`Authorization: Bearer <API_KEY>\` (RFC 6750). A key opens the operations whose scope it holds; the scope \`*\` stands for all of them. A new key holds \`boards:read\` and \`subscriptions:write\` unless told otherwise.

## Bodies

Operations that take a body take it as \`application/x-www-form-urlencoded\` or as one flat object in \`application/json\`, in UTF-8 and without a \`Content-Encoding\`. Unknown fields are ignored and never stored.

In a form, all values are text, and an empty optional value stands for \`null\`. A \`+\` means a space there: write the plus of an e-mail address as \`%2B\`.

## Answers

Content is UTF-8 JSON. Times are in UTC with milliseconds (RFC 3339). A value that is not there is \`null\`, never missing. New members may be added: pass over those that you don't know.

Every answer has an \`X-Request-Id\`: your own, if you sent one, or a fresh one. \`Cache-Control\` is \`no-store\` unless an answer says otherwise.

## Pages

A listing answers with \`data\` and \`nextCursor\`. Send \`nextCursor\` as \`cursor\` for the next page until it is \`null\`. Records that come or go between two pages never make others be skipped or repeated.

## Problems

What goes wrong is told as \`application/problem+json\` (RFC 9457). \`code\` is stable and meant for programs, \`title\` and \`detail\` are for people and may change. With 422, \`errors\` names every field that was refused, at once.

## Limits

- A body has at most ${MAX_BODY_BYTES} bytes and ${MAX_FIELDS} fields, and is complete within ${
  BODY_TIMEOUT_MS / 1000
} s.
- Requests are limited per API key: 100 per second with a burst of 200, unless the operator chose otherwise. \`RateLimit-Policy\` and \`RateLimit\` tell the state, \`Retry-After\` when to come back.
`.trim();

/** The groups of operations, in the order in which they are shown. */
export const TAGS = {
  "Boards": "Places for feedback, each with an identifier of its own.",
  "Changelog subscriptions": "Who receives changelog updates, by e-mail address.",
  "API keys":
    "Keys for the programs that call this API. A key's text is shown once and not stored.",
  "Health": "For those who watch over the process. No key is needed.",
  "Reference": "This API, described. No key is needed.",
} as const satisfies Record<string, string>;

/** The name of a group of operations. */
export type TagName = keyof typeof TAGS;
