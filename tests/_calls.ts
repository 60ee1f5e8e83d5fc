import type { ShownKey } from "../model/api_key.ts";
import { createService, readJson, type Sent, type TestService } from "./_service.ts";

/** The path of all boards. */
export const BOARDS_PATH = "/api/v1/boards";
/** The path of the board `ideas`. */
export const IDEAS_PATH = `${BOARDS_PATH}/ideas`;
/** The path that subscribes, and that bodies are sent to. */
export const SUBSCRIBE_PATH = "/api/v1/changelogs/subscribe";
/** The path of all subscribers. */
export const SUBSCRIBERS_PATH = "/api/v1/changelogs/subscribers";
/** The path of all keys. */
export const KEYS_PATH = "/api/v1/keys";

/** The media type of forms. */
export const FORM = "application/x-www-form-urlencoded";
/** The media type of JSON. */
export const JSON_TYPE = "application/json";
/** A form that subscribes. */
export const VALID_FORM = "userEmail=ann%40example.com&subscribe=true";

/** Sends a body that subscribes to a service of its own. */
export function put(
  body: BodyInit,
  contentType = FORM,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const sent = { body, headers: { "content-type": contentType, ...headers } };
  return createService().send("PUT", SUBSCRIBE_PATH, sent);
}

/** Creates a service with one board, `ideas`, and returns its ETag too. */
export async function withIdeas(): Promise<TestService & { readonly etag: string }> {
  const service = createService();
  const form = { boardId: "ideas", name: "Ideas" };
  const created = await service.send("POST", BOARDS_PATH, { form });
  await readJson(created, 201);
  return { ...service, etag: created.headers.get("etag") ?? "" };
}

/** A key as it is shown once. */
export type NewKey = ShownKey & { readonly key: string };

/** Creates a key through the API. */
export async function createKey(
  { send }: TestService,
  json: Readonly<Record<string, unknown>> = {},
  key?: string,
): Promise<NewKey> {
  const sent = { json: { name: "Key", ...json }, key };
  return await readJson(await send("POST", KEYS_PATH, sent), 201);
}

/** Rotates a key through the API. */
export async function rotateKey(
  { send }: TestService,
  { keyId }: ShownKey,
  sent: Sent = {},
): Promise<NewKey> {
  return await readJson(await send("POST", `${KEYS_PATH}/${keyId}/rotate`, sent), 201);
}

/** Lists the first page of keys. */
export async function listKeys({ send }: TestService): Promise<readonly ShownKey[]> {
  return (await readJson<{ data: ShownKey[] }>(await send("GET", KEYS_PATH))).data;
}

/** Tells whether a key is accepted. */
export async function works({ send }: TestService, key: string): Promise<boolean> {
  const response = await send("GET", BOARDS_PATH, { key });
  await response.body?.cancel();
  return response.status === 200;
}
