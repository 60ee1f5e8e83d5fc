// Whether the server can be reached.

import { BASE } from "./session.js";

const RETRY_MS = 2000;

/** Dispatches the events `lost` and `back`. */
class Connection extends EventTarget {
  isLost = false;

  lose() {
    if (this.isLost) return;
    this.isLost = true;
    this.dispatchEvent(new Event("lost"));
    this.#retry();
  }

  #retry() {
    setTimeout(async () => {
      const ready = new URL("readyz", BASE);
      const response = await fetch(ready, { cache: "no-store" }).catch(() => undefined);
      if (!response?.ok) return this.#retry();
      this.isLost = false;
      this.dispatchEvent(new Event("back"));
    }, RETRY_MS);
  }
}

export const connection = new Connection();
addEventListener("offline", () => connection.lose());
