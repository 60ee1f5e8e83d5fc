import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";

describe("a field that a resource declares", () => {
  it("is taken, stored, shown, exported, imported and described by the declaration alone", async () => {
    const script = new URL("../_support/added_fields.ts", import.meta.url).pathname;
    const args = ["run", "--allow-all", "--unstable-kv", "--no-check", "--quiet", script];
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
    const out = new TextDecoder().decode(stdout);
    assertEquals(out, "[]\n", new TextDecoder().decode(stderr));
  });
});
