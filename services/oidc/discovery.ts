import { type Jwk, readKeys } from "../../model/oidc/jws.ts";
import { metadataUrl, type ProviderMetadata, readMetadata } from "../../model/oidc/metadata.ts";
import { SignInFault } from "../../model/oidc/sign_in_fault.ts";
import type { CallProvider } from "./calls.ts";

/** The data that a provider publishes about itself, read when needed, and again after an hour. */
export interface Discovery {
  getMetadata(): Promise<ProviderMetadata | SignInFault>;
  getKeys(): Promise<readonly Jwk[] | SignInFault>;
  /** Fetches the keys again, unless that was done within the last minute. */
  renewKeys(): Promise<readonly Jwk[] | SignInFault>;
}

const LIFETIME_MS = 3_600_000;
const RENEWAL_INTERVAL_MS = 60_000;

/** Creates the discovery of an issuer. `elapsed` is a monotonic clock, in milliseconds. */
export function createDiscovery(
  issuer: string,
  { call, elapsed }: { readonly call: CallProvider; readonly elapsed: () => number },
): Discovery {
  const metadata = createKept(loadMetadata, elapsed);
  const keys = createKept(loadKeys, elapsed);
  let renewedMs = -Infinity;

  async function loadMetadata(): Promise<ProviderMetadata | SignInFault> {
    const response = await call("its metadata", metadataUrl(issuer));
    if (response instanceof SignInFault) return response;
    return response.status === 200
      ? readMetadata(response.json, issuer)
      : new SignInFault("provider_misconfigured", `its metadata response is ${response.status}`);
  }

  async function loadKeys(): Promise<readonly Jwk[] | SignInFault> {
    const known = await metadata.get();
    if (known instanceof SignInFault) return known;
    const response = await call("its jwks_uri", known.keysUrl);
    if (response instanceof SignInFault) return response;
    const read = response.status === 200 ? readKeys(response.json) : undefined;
    return read ??
      new SignInFault("provider_misconfigured", `its jwks_uri answers ${response.status}, no keys`);
  }

  return {
    getMetadata: metadata.get,
    getKeys: keys.get,
    renewKeys() {
      if (elapsed() - renewedMs < RENEWAL_INTERVAL_MS) return keys.get();
      renewedMs = elapsed();
      return keys.renew();
    },
  };
}

/** A value that is loaded once for all who ask at the same time, and kept unless it is a fault. */
interface Kept<T> {
  get(): Promise<T | SignInFault>;
  renew(): Promise<T | SignInFault>;
}

function createKept<T>(load: () => Promise<T | SignInFault>, elapsed: () => number): Kept<T> {
  let kept: { readonly value: Promise<T | SignInFault>; readonly endMs: number } | undefined;

  function renew(): Promise<T | SignInFault> {
    const loading = { value: load(), endMs: elapsed() + LIFETIME_MS };
    kept = loading;
    loading.value.then((value) => {
      if (value instanceof SignInFault && kept === loading) kept = undefined;
    });
    return loading.value;
  }

  return {
    get: () => kept !== undefined && elapsed() < kept.endMs ? kept.value : renew(),
    renew,
  };
}
