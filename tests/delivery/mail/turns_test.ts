import { assert } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMailIds } from "../../../services/deliveries/mail_ids.ts";
import { prepareEntryMail } from "../../../delivery/mail/entry_mail.ts";
import { prepareWeeklyMail } from "../../../delivery/mail/weekly_mail.ts";
import { readBrand } from "../../../model/brand.ts";
import { createDelivery } from "../../../model/deliveries/delivery.ts";
import { ENTRIES } from "../../../model/kinds.ts";
import { createService, START } from "../../_support/service.ts";

const SETTINGS = {
  ...readBrand({}),
  publicUrl: "https://example.com",
  from: { name: "", address: "news@example.com" },
  footer: "",
};

/** Counts the turns that others have until something is done. */
async function countTurns(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  await work;
  clearInterval(timer);
  return turns;
}

describe("a mail with entries of 32 KiB", () => {
  it("is prepared in pieces, between which others have their turn", async () => {
    const { call, storage } = createService();
    const body = "*a* ".repeat(8_192);
    await call("POST", "changelogs/entries", { entryId: "a", title: "A", body });
    const entry = (await storage.get(ENTRIES, "a"))!;
    const sender = { settings: SETTINGS, ids: await openMailIds(storage) };
    const ofEntry = await countTurns(prepareEntryMail(entry, sender));
    const week = Array.from({ length: 20 }, () => entry);
    const ofWeek = await countTurns(prepareWeeklyMail(createDelivery("a", START), week, sender));
    assert(ofEntry > 0 && ofWeek > 5, `${ofEntry} and ${ofWeek} turns`);
  });
});
