import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import { Refusal } from "../model/refusal.ts";
import { parseDuration, parseInstant } from "../model/time.ts";

const DURATIONS: readonly [text: string, durationMs: number][] = [
  ["0s", 0],
  ["30s", 30_000],
  ["15m", 900_000],
  ["24h", 86_400_000],
  ["90d", 7_776_000_000],
  ["007d", 604_800_000],
  ["36500d", 3_153_600_000_000],
];
const INSTANTS: readonly [text: string, utc: string][] = [
  ["2030-01-31T12:00:00Z", "2030-01-31T12:00:00.000Z"],
  ["2030-01-31t12:00:00z", "2030-01-31T12:00:00.000Z"],
  ["2030-01-31T12:00:00.5Z", "2030-01-31T12:00:00.500Z"],
  ["2030-01-31T12:00:00.123456789Z", "2030-01-31T12:00:00.123Z"],
  ["2030-01-31T12:00:00+02:00", "2030-01-31T10:00:00.000Z"],
  ["2030-01-01T00:30:00+01:00", "2029-12-31T23:30:00.000Z"],
  ["2030-01-31T12:00:00-05:30", "2030-01-31T17:30:00.000Z"],
  ["2030-01-31T12:00:00-00:00", "2030-01-31T12:00:00.000Z"],
  ["2028-02-29T00:00:00Z", "2028-02-29T00:00:00.000Z"],
  ["2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000Z"],
  ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
];
const NO_INSTANTS = [
  "",
  "now",
  "2030",
  "2030-01-31",
  "2030-01-31T12:00Z",
  "2030-01-31T12:00:00",
  "2030-01-31 12:00:00Z",
  "2030-01-31T12:00:00.Z",
  "2030-01-31T12:00:00+0200",
  "2030-01-31T12:00:00+24:00",
  "2030-01-31T12:00:00+00:60",
  "2030-1-31T12:00:00Z",
  "2030-00-10T12:00:00Z",
  "2030-13-10T12:00:00Z",
  "2030-01-00T12:00:00Z",
  "2030-01-32T12:00:00Z",
  "2030-02-29T00:00:00Z",
  "2100-02-29T00:00:00Z",
  "2030-04-31T00:00:00Z",
  "2030-01-31T24:00:00Z",
  "2030-01-31T12:60:00Z",
  "2030-01-31T12:00:60Z",
  "+02030-01-31T12:00:00Z",
  " 2030-01-31T12:00:00Z",
  "2030-01-31T12:00:00Z\n",
  "9999-12-31T23:59:59-01:00",
  "0000-01-01T00:00:00+01:00",
  "1893456000",
];

describe("duration", () => {
  for (const [text, durationMs] of DURATIONS) {
    it(`a duration is ${durationMs} ms when it is ${text}`, () => {
      assertEquals(parseDuration(text), durationMs);
    });
  }

  for (
    const text of [
      "",
      "5",
      "d",
      "1.5h",
      "-1h",
      "+1h",
      "1 h",
      "1H",
      "1w",
      "1h30m",
      "١h",
      "1h\n",
      "36501d",
      "9999999999s",
    ]
  ) {
    it(`a duration is refused when it is ${JSON.stringify(text)}`, () => {
      assert(parseDuration(text) instanceof Refusal);
    });
  }
});

describe("instant", () => {
  for (const [text, utc] of INSTANTS) {
    it(`an instant is ${utc} when it is ${text}`, () => {
      assertEquals(parseInstant(text), utc);
    });
  }

  for (const text of NO_INSTANTS) {
    it(`an instant is refused when it is ${JSON.stringify(text)}`, () => {
      assert(parseInstant(text) instanceof Refusal);
    });
  }

  it("an instant in UTC with milliseconds is its own normal form", () => {
    const min = new Date("0000-01-01T00:00:00Z");
    const max = new Date("9999-12-31T23:59:59.999Z");
    fc.assert(fc.property(fc.date({ min, max, noInvalidDate: true }), (date) => {
      assertEquals(parseInstant(date.toISOString()), date.toISOString());
    }));
  });

  it("an instant is the same moment at every offset", () => {
    const offset = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
    const min = new Date("1000-01-01T00:00:00Z");
    const max = new Date("9000-01-01T00:00:00Z");
    fc.assert(fc.property(fc.date({ min, max, noInvalidDate: true }), offset, (date, minutes) => {
      const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1);
      const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
      const suffix = [hours, rest].map((part) => `${part}`.padStart(2, "0")).join(":");
      assertEquals(parseInstant(local + (minutes < 0 ? "-" : "+") + suffix), date.toISOString());
    }));
  });
});
