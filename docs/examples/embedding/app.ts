import { createHandler, type Storage } from "@boardcast/boardcast";

/** The pages of an app, and Boardcast under /feedback; `signal` says that the app stops. */
export function createApp(
  storage: Storage,
  signal?: AbortSignal,
): (request: Request) => Promise<Response> {
  const boardcast = createHandler({
    storage,
    signal,
    basePath: "/feedback",
    operatorKey: "a-key-of-24-characters-or-more",
    studio: true,
  });

  return async function handle(request) {
    // This does not use `new URL`, which throws if a client sends an invalid host.
    const path = request.url.replace(/^https?:\/\/[^/]*/, "");
    if (path.startsWith("/feedback/")) return await boardcast(request);
    return new Response("A page of the app");
  };
}
