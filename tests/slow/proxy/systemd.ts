import { assertEquals } from "@std/assert";
import { withFile } from "../../_support/cli.ts";

// The unit is tenths, as in systemd-analyze: 15 means 1.5 of 10.
const MAX_EXPOSURE = "15";

Deno.test("systemd unit has no error and no warning, and exposes little", async () => {
  const unit = new URL("../../../packaging/boardcast.service", import.meta.url);
  // The command is not installed on a test machine.
  const text = (await Deno.readTextFile(unit)).replace("/usr/local/bin/boardcast", "/bin/true");
  await withFile(text, async (path) => {
    const analyze = (...args: string[]) =>
      new Deno.Command("systemd-analyze", { args: [...args, path], env: { SYSTEMD_PAGER: "cat" } })
        .output();
    const { code, stderr } = await analyze("verify");
    assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
    const security = await analyze("security", "--offline=true", `--threshold=${MAX_EXPOSURE}`);
    assertEquals(security.code, 0, new TextDecoder().decode(security.stdout));
  }, "boardcast.service");
});
