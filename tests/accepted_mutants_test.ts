import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { ACCEPTED } from "./mutation/_accepted.ts";

describe("accepted mutants", () => {
  it("break what is still in their files", async () => {
    const stale: string[] = [];
    for (const { file, source } of ACCEPTED) {
      const text = await Deno.readTextFile(new URL(`../${file}`, import.meta.url));
      if (!text.includes(source)) stale.push(`${file}: ${source}`);
    }
    assertEquals(stale, []);
  });
});
