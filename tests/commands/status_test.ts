import { assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { holdDelivery } from "../../model/deliveries/delivery_steps.ts";
import { DELIVERIES } from "../../model/kinds.ts";
import { replaceRecord } from "../../services/records.ts";
import { createCommandLine } from "../_support/cli.ts";

describe("status", () => {
  it("shows what there is, and that nothing needs attention", async () => {
    const { succeed } = createCommandLine();
    await succeed("call subscribe userEmail=ann@example.com subscribe=true");
    await succeed("call createEntry entryId=a title=A body=B");
    const { out } = await succeed("status");
    assertMatch(
      out,
      /^subscribers {3}1 subscribed, 0 unsubscribed\nentries {7}1 draft, 0 scheduled,/,
    );
    assertMatch(
      out,
      /\nstorage {7}takes writes\n[^]*\nwebhooks {6}none fails\n\nNothing needs attention\.\n$/,
    );
  });

  it("counts who would get an entry with --labels", async () => {
    const { succeed } = createCommandLine();
    await succeed("call subscribe userEmail=ann@example.com subscribe=true");
    const { out } = await succeed("status --labels new");
    assertMatch(out, /\naudience {6}1 by itself, 0 in the week's mail\n/);
  });

  it("ends with 1, and says why, when something needs attention", async () => {
    const { run, succeed, storage } = createCommandLine();
    await succeed("call createEntry entryId=a title=A body=B");
    await succeed("call publishEntry entryId=a notify=true");
    await replaceRecord(storage, { kind: DELIVERIES, key: "a" }, (it) => holdDelivery(it, "late"));
    const { status, out, err } = await run("status");
    assertEquals([status, err], [1, ""]);
    assertMatch(
      out,
      /\nENTRY +STATE .*\na +held .*\n\nNeeds attention:\n- The mailing of a is held: .*\n$/,
    );
  });

  it("prints what the API answers with --json", async () => {
    const { json } = createCommandLine();
    const [{ subscribers, attention }] = await json("status");
    assertEquals([subscribers, attention], [{ subscribed: 0, unsubscribed: 0 }, []]);
  });
});
