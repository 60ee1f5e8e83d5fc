import type { ShownKey } from "../model/api_key.ts";
import { readJson, type TestService } from "./_service.ts";

/** The path of all keys. */
export const KEYS = "/api/v1/keys";

/** A key as it is shown once. */
export type NewKey = ShownKey & { readonly key: string };

/** Creates a key through the API. */
export async function create(
  { send }: TestService,
  json: Record<string, unknown> = {},
  key?: string,
): Promise<NewKey> {
  return await readJson(await send("POST", KEYS, { json: { name: "Key", ...json }, key }), 201);
}

/** Lists the first page of keys. */
export async function list({ send }: TestService): Promise<readonly ShownKey[]> {
  return (await readJson<{ data: ShownKey[] }>(await send("GET", KEYS))).data;
}

/** Tells whether a key is accepted. */
export async function works({ send }: TestService, key: string): Promise<boolean> {
  const response = await send("GET", "/api/v1/boards", { key });
  await response.body?.cancel();
  return response.status === 200;
}
