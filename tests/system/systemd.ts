import { assertEquals } from "@std/assert";
import { withFile } from "../_cli.ts";

// In tenths, as systemd-analyze counts: 1.5 of 10.
const MAX_EXPOSURE = "15";

/** Runs systemd-analyze on the unit; the command itself is not installed where this is tested. */
async function analyze(...args: string[]): Promise<{ code: number; text: string }> {
  const unit = new URL("../../packaging/boardcast.service", import.meta.url);
  const text = (await Deno.readTextFile(unit)).replace("/usr/local/bin/boardcast", "/bin/true");
  return await withFile(text, async (path) => {
    const options = { args: [...args, path], env: { SYSTEMD_PAGER: "cat" } };
    const { code, stdout, stderr } = await new Deno.Command("systemd-analyze", options).output();
    const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, text: decode(stdout) + decode(stderr) };
  }, "boardcast.service");
}

Deno.test("systemd unit has no error and no warning", async () => {
  assertEquals(await analyze("verify"), { code: 0, text: "" });
});

Deno.test("systemd unit exposes little", async () => {
  const { code, text } = await analyze("security", "--offline=true", `--threshold=${MAX_EXPOSURE}`);
  assertEquals(code, 0, text);
});
