import { assertEquals } from "@std/assert";
import { createService, type TestService } from "./_service.ts";

/** The path of all boards. */
export const BOARDS = "/api/v1/boards";
/** The path of the board `ideas`. */
export const IDEAS = `${BOARDS}/ideas`;

/** Creates a service with one board, `ideas`, and returns its ETag too. */
export async function withIdeas(): Promise<TestService & { etag: string }> {
  const service = createService();
  const form = { boardId: "ideas", name: "Ideas" };
  const created = await service.send("POST", BOARDS, { form });
  assertEquals(created.status, 201);
  return { ...service, etag: created.headers.get("etag") ?? "" };
}
