import { openTables } from "../../adapters/_tables.ts";
import { KEY_FAULTS } from "./api_keys.ts";
import { BOARD_FAULTS } from "./boards.ts";
import type { Faults } from "./fault.ts";
import { IDENTITY_FAULTS } from "./identities.ts";
import { INSTANCE_FAULTS, LOOK_UP_FAULTS } from "./instances.ts";
import { LIFECYCLE_FAULTS } from "./lifecycle.ts";
import { LISTING_FAULTS } from "./listings.ts";
import { RECORD_FAULTS } from "./records.ts";
import { ROTATION_FAULTS } from "./rotations.ts";
import { SUBSCRIPTION_FAULTS } from "./subscriptions.ts";

/** The name of storage that keeps all promises. */
export const SOUND = "keeps all promises";

/** All faults. */
export const FAULTS: Faults = {
  ...BOARD_FAULTS,
  ...SUBSCRIPTION_FAULTS,
  ...KEY_FAULTS,
  ...ROTATION_FAULTS,
  ...LISTING_FAULTS,
  ...IDENTITY_FAULTS,
  ...RECORD_FAULTS,
  ...INSTANCE_FAULTS,
  ...LOOK_UP_FAULTS,
  ...LIFECYCLE_FAULTS,
};

/** Storages to be put to the contract, by what they do. */
export const STORAGES: Faults = { [SOUND]: openTables, ...FAULTS };
