import { assertEquals, assertThrows } from "@std/assert";
import { it } from "@std/testing/bdd";
import { copyRecord } from "../../adapters/records.ts";
import { sample, SAMPLES } from "../_contract/kinds.ts";

it("copyRecord names the field that is refused, and not what is in it", () => {
  const record = { ...sample("a"), note: "ann@example.com\0" };
  const { message } = assertThrows(() => copyRecord(SAMPLES, record), TypeError);
  assertEquals(message, "Cannot store in contractSamples: note is no text?");
});
