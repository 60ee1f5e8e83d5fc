import type { Storage } from "../adapters/storage.ts";
import type { KeyedHash } from "../model/crypto/cipher.ts";
import type { WebhookList } from "../model/kinds.ts";
import type { StoredSettings } from "../model/settings/settings.ts";
import { createMeter, type Meter } from "./meter.ts";
import type { StoredVersion } from "./version.ts";

/** The state that all handlers and workers of this process share for a storage. */
export interface Shared {
  /** The storage as its adapter has opened it. */
  readonly storage: Storage;
  readonly meter: Meter;
  /** The hash of addresses, whose key never changes; absent until one is hashed. */
  addressHash: Promise<KeyedHash> | undefined;
  /** The version of the stored records; absent until a service uses the storage. */
  version: StoredVersion | undefined;
  /** Number of workers that send mail. */
  mailers: number;
  /**
   * The cached list of webhooks, while this process alone uses the storage and does not change the
   * list.
   */
  webhookList: ReadList | undefined;
  /** Number of times that a change of the list of webhooks has begun or ended. */
  webhookListChanges: number;
  /** The last failure of the OpenID Connect provider in this process; absent after a success. */
  providerProblem: string | undefined;
  /** The reader of the settings; absent until one is needed. */
  settings: SettingsReader | undefined;
}

/** Reads the settings at most once a second, for all handlers and workers of a process. */
export interface SettingsReader {
  /**
   * Returns the settings, which another process may have changed within the last second: the same
   * object until they change. If storage fails, returns those that were read last.
   */
  read(): Promise<StoredSettings>;
  /** Makes the next call read them from storage. */
  forget(): void;
}

/** The result of reading the list of webhooks. */
export interface ReadList {
  /** `undefined` if there is no list yet. */
  readonly list: WebhookList | undefined;
}

const shared = new WeakMap<Storage, Shared>();

/** Returns the shared state of a storage, or of a store on it. */
export function sharedOf(storage: Storage): Shared {
  let state = shared.get(storage);
  if (state === undefined) {
    state = {
      storage,
      meter: createMeter(),
      addressHash: undefined,
      version: undefined,
      mailers: 0,
      webhookList: undefined,
      webhookListChanges: 0,
      providerProblem: undefined,
      settings: undefined,
    };
    shared.set(storage, state);
  }
  return state;
}

/** Makes a store share the state of its storage. */
export function share(state: Shared, store: Storage): void {
  shared.set(store, state);
}

export function meterOf(storage: Storage): Meter {
  return sharedOf(storage).meter;
}
