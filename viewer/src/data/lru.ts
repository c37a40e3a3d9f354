/** Keeps what was used last, up to a sum of sizes. */
export class LruCache<Value> {
  private readonly entries = new Map<number, { value: Value; size: number }>();
  private total = 0;

  constructor(private readonly limit: number) {}

  get(key: number): Value | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  set(key: number, value: Value, size: number): void {
    this.total += size - (this.entries.get(key)?.size ?? 0);
    this.entries.delete(key);
    this.entries.set(key, { value, size });
    for (const [oldest, entry] of this.entries) {
      if (this.total <= this.limit || oldest === key) break;
      this.entries.delete(oldest);
      this.total -= entry.size;
    }
  }

  get bytes(): number {
    return this.total;
  }
}
