/** Named events without payload: listeners read the model. */
export class Emitter<Name extends string> {
  private readonly listeners = new Map<Name, (() => void)[]>();

  on(names: Name | Name[], listener: () => void): void {
    for (const name of Array.isArray(names) ? names : [names]) {
      this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
    }
  }

  emit(name: Name): void {
    for (const listener of this.listeners.get(name) ?? []) listener();
  }
}
