import { REFUSAL_CODES } from "../../../model/values/refusal.ts";
import { BODY_TIMEOUT_MS } from "../../_http/body.ts";
import { MAX_BODY_BYTES } from "../../_http/operation.ts";
import { MAX_FIELDS } from "../../_http/form.ts";

/** The rules that all operations share, in CommonMark. */
export const GUIDE: string = `
Feedback boards and changelog subscriptions over HTTP, on your own server.

## Authentication

Send an API key with every request under \`/api/v1\`, as \`Authorization: Bearer <API_KEY>\` (RFC 6750). A key allows the operations whose scope it holds; the scope \`*\` stands for all of them. By default, a new key holds \`boards:read\` and \`subscriptions:write\`. If a key is refused, \`WWW-Authenticate\` says why (RFC 6750). People sign in to the studio, which sends the cookie of their session instead.

## Paths and methods

Every API path is under \`/api/v1\` and is matched exactly: case matters, and there are no variants with a trailing slash. Path parameters are percent-encoded UTF-8.

\`HEAD\` responds like \`GET\`, without content. \`OPTIONS\` responds 204, with the methods of the path in \`Allow\`.

## Bodies

Operations with a body accept it as \`application/x-www-form-urlencoded\` or as one flat object in \`application/json\`, in UTF-8 and without a \`Content-Encoding\`. A field or query parameter that an operation does not know is refused, so that a misspelt one never goes unnoticed; only \`GET /boards/{boardId}\` and \`PUT /changelogs/subscribe\` ignore them. Lists of words are separated by spaces, or an array of strings in JSON.

In a form, all values are text, and an empty optional value means \`null\`. A \`+\` means a space: write the plus in an e-mail address as \`%2B\`. Leave out fields that you have no value for: some clients send \`None\` or \`undefined\` as text.

## Responses

Content is UTF-8 JSON. Times are in UTC with milliseconds (RFC 3339). An absent value is \`null\`, never omitted. New members may be added: ignore those that you don't know.

Every response has an \`X-Request-Id\`: your own, if it matches \`[A-Za-z0-9._-]{1,64}\`, or a fresh one. \`Cache-Control\` is \`no-store\` unless stated otherwise.

## Pages

A listing returns \`data\` and \`nextCursor\`. For the next page, send \`nextCursor\` as \`cursor\`; on the last page it is \`null\`. Where few records match, a page may have fewer than \`limit\`, or none, and a \`nextCursor\`. Records added or removed between two pages never cause others to be skipped or repeated.

## Problems

Errors are reported as \`application/problem+json\` (RFC 9457). \`code\` is stable and meant for programs; \`title\` and \`detail\` are for people and may change. With 422, \`errors\` lists every refused field at once, each with its \`field\`, a stable \`code\` (${
  REFUSAL_CODES.map((code) => `\`${code}\``).join(", ")
}) and a \`detail\`.

## Limits

- A body may have at most ${MAX_BODY_BYTES} bytes, unless its operation says another number as \`x-max-bytes\`, and ${MAX_FIELDS} fields, and must be complete within ${
  BODY_TIMEOUT_MS / 1000
} s.
- Requests are limited per API key: 100 per second with a burst of 200, unless the operator chose otherwise. \`RateLimit-Policy\` shows the burst (\`q\`) and the seconds in which all of it is granted again (\`w\`), \`RateLimit\` how many requests are left (\`r\`) and the seconds until all are granted again (\`t\`), \`Retry-After\` when to try again.

## Clients

Without a proxy in front, the server may answer requests that offer to change to HTTP/2 without TLS with an empty 400. Java's \`HttpClient\` makes that offer: build it with \`.version(HttpClient.Version.HTTP_1_1)\`. \`curl --http2\` does, too.

Scripts in browsers may call from the origins that the operator lists, without cookies. To them, a wrong path looks like a refused origin. Whoever loads the page can read its key.
`.trim();
