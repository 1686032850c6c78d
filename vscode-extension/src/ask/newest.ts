/**
 * Asking while the user types: a pause before each question, the one before is cancelled, and only the newest is heard.
 *
 * Pure but for the clock. Must not know what is asked, nor whom.
 */

export interface Hearer<A> {
  answer(answer: A): void;
  failure(error: unknown): void;
  /** Whether an answer is being waited for. */
  busy(busy: boolean): void;
}

export class Newest<A> {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private running: AbortController | undefined;

  constructor(
    private readonly ask: (question: string, signal: AbortSignal) => Promise<A>,
    private readonly hearer: Hearer<A>,
    private readonly pauseMs: number,
  ) {}

  /** Ask after the pause, unless something newer comes. */
  soon(question: string): void {
    this.cancel();
    this.hearer.busy(true);
    this.timer = setTimeout(() => void this.run(question), this.pauseMs);
  }

  /** Ask at once. */
  now(question: string): Promise<void> {
    this.cancel();
    this.hearer.busy(true);
    return this.run(question);
  }

  /** Forget what was asked: nothing is heard until something is asked again. */
  cancel(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.running?.abort();
    this.running = undefined;
    this.hearer.busy(false);
  }

  private async run(question: string): Promise<void> {
    const mine = new AbortController();
    this.running = mine;
    let tell: () => void;
    try {
      const answer = await this.ask(question, mine.signal);
      tell = () => {
        this.hearer.answer(answer);
      };
    } catch (error) {
      tell = () => {
        this.hearer.failure(error);
      };
    }
    if (this.running === mine) {
      this.running = undefined;
      this.hearer.busy(false);
      tell();
    }
  }
}
