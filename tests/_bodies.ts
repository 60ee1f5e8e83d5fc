import { createService } from "./_service.ts";

/** The path that bodies are sent to. */
export const PATH = "/api/v1/changelogs/subscribe";
/** The media type of forms. */
export const FORM = "application/x-www-form-urlencoded";
/** A form that is taken. */
export const VALID = "userEmail=ann%40example.com&subscribe=true";

/** Sends a body to a service of its own. */
export function put(
  body: BodyInit,
  contentType = FORM,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const sent = { body, headers: { "content-type": contentType, ...headers } };
  return createService().send("PUT", PATH, sent);
}
