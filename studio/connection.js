const RETRY_MS = 2000;

/** Whether the server can be reached: `lost` and `back` are events. */
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
      const ready = new URL("../readyz", import.meta.url);
      const response = await fetch(ready, { cache: "no-store" }).catch(() => undefined);
      if (!response?.ok) return this.#retry();
      this.isLost = false;
      this.dispatchEvent(new Event("back"));
    }, RETRY_MS);
  }
}

export const connection = new Connection();
addEventListener("offline", () => connection.lose());
