import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { namesIn, withFolder } from "./_folder.ts";
import { runByShell, runProcess, startProcess } from "./_process.ts";
import { HEADER, rows } from "./_subscribers.ts";

describe("import and export in a process", () => {
  it("carry 100,000 rows through little memory, from standard input and back", async () => {
    await withFolder(async (folder) => {
      const environment = { DENO_V8_FLAGS: "--max-old-space-size=96" };
      const [from, to] = ["from", "to"].map((name) => ["--storage", `file:${folder}/${name}`]);
      const text = HEADER + rows(100_000);
      const imported = await runProcess(["subscribers", "import", "-", ...from], {
        stdin: text,
        environment,
      });
      assertEquals(imported, {
        status: 0,
        out: "",
        err:
          "standard input: 100000 added, 0 changed, 0 unchanged, 0 kept unsubscribed, 0 refused\n",
      });
      const exported = await runProcess(["subscribers", "export", ...from], { environment });
      assertEquals(exported.out, HEADER + text.split("\n").slice(1, -1).sort().join("\n") + "\n");
      const path = `${folder}/people.csv`;
      await Deno.writeTextFile(path, exported.out);
      assertEquals((await runProcess(["subscribers", "import", path, ...to])).status, 0);
      assertEquals((await runProcess(["subscribers", "export", ...to])).out, exported.out);
    });
  });

  it("hold no more of a file than some of its rows", async () => {
    await withFolder(async (folder) => {
      const path = `${folder}/people.csv`;
      // 40 MB of text would not fit into the memory that the process gets.
      const row = `ann@example.com,${"Ann ".repeat(40)},true\n`;
      await Deno.writeTextFile(path, HEADER + row.repeat(250_000));
      const storage = ["--storage", `file:${folder}/data`];
      const { status, err } = await runProcess(
        ["subscribers", "import", path, ...storage],
        { environment: { DENO_V8_FLAGS: "--max-old-space-size=24" } },
      );
      assertStringIncludes(err, "1 added, 0 changed, 249999 unchanged");
      assertEquals(status, 0);
    });
  });

  for (const signal of ["SIGINT", "SIGKILL"] as const) {
    it(`end in the same state when ${signal} came between and they are run again`, async () => {
      await withFolder(async (folder) => {
        const storage = ["--storage", `file:${folder}/data`];
        const text = `${HEADER}bad,,true\n${rows(3_000)}`;
        // The last row stays without its end, and must not be taken for a whole one.
        await using child = startProcess(["subscribers", "import", "-", ...storage], {
          unfinishedInput: text.slice(0, -20),
        });
        await child.waitFor("stderr", /line 2: userEmail/);
        child.signal(signal);
        // The system shows a shell that it died of the signal, which ends the script as well.
        assertEquals(await child.endSignal, signal);
        if (signal === "SIGINT") {
          assertMatch(
            child.stderr(),
            /1 refused \(incomplete\)\nboardcast: interrupted; run it again/,
          );
        }
        const again = await runProcess(["subscribers", "import", "-", ...storage], { stdin: text });
        assertEquals(again.status, 3);
        const exported = await runProcess(["subscribers", "export", ...storage]);
        assertEquals(
          exported.out,
          HEADER + rows(3_000).split("\n").sort().slice(1).join("\n") + "\n",
        );
      });
    });
  }

  it("import nothing when they are stopped while they wait for the folder", async () => {
    await withFolder(async (folder) => {
      const [data, list] = [`${folder}/data`, `${folder}/list.csv`];
      await Deno.mkdir(data);
      const holder = { holder: "x", pid: 1, host: "x", since: "x", heartbeatMs: 60_000 };
      await Deno.writeTextFile(`${data}/lock`, JSON.stringify(holder));
      await Deno.writeTextFile(list, "userEmail,subscribed,note\nann@example.com,true,x\n");
      const args = ["subscribers", "import", list, "--storage", `file:${data}`];
      await using child = startProcess(args);
      // The last that is said before storage is opened.
      await child.waitFor("stderr", /Ignoring the columns/);
      child.signal("SIGINT");
      assertEquals(await child.endSignal, "SIGINT");
      assertEquals(await namesIn(data), ["lock"]);
    });
  });

  it("end quietly when the reader of standard output goes", async () => {
    await withFolder(async (folder) => {
      const storage = ["--storage", `file:${folder}/data`];
      const stdin = HEADER + rows(20_000);
      await runProcess(["subscribers", "import", "-", ...storage], { stdin });
      for (const command of ["list", "export"]) {
        const script = '{ (boardcast "$@"); echo "ended with $?" >&2; } | head -n 1';
        const { out, err } = await runByShell(script, ["subscribers", command, ...storage]);
        assertEquals([out.split("\n").length, err], [2, "ended with 0\n"]);
      }
    });
  });
});
