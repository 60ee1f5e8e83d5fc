// app/feedback/[[...path]]/route.ts of an app with Next.js
import process from "node:process";
import { createHandler, type Handler } from "@boardcast/boardcast";
import { openPostgresStorage } from "@boardcast/boardcast/postgres";

let opened: Promise<Handler> | undefined;

async function open(): Promise<Handler> {
  const storage = await openPostgresStorage(process.env.DATABASE_URL!);
  return createHandler({ storage, basePath: "/feedback" });
}

/** Responds to a request; opens storage with the first one, as `next build` loads this module. */
async function handle(request: Request): Promise<Response> {
  opened ??= open().catch((error) => {
    opened = undefined; // The next request tries again.
    throw error;
  });
  return await (await opened)(request);
}

export { handle as DELETE, handle as GET, handle as HEAD, handle as OPTIONS };
export { handle as PATCH, handle as POST, handle as PUT };
