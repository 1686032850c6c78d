import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { Newest } from "../../src/ask/newest";

interface Asked {
  question: string;
  signal: AbortSignal;
  resolve: (answer: string) => void;
  reject: (error: Error) => void;
}

let asked: Asked[];
let heard: string[];
let busy: boolean;
let newest: Newest<string>;

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  asked = [];
  heard = [];
  busy = false;
  newest = new Newest(
    (question, signal) =>
      new Promise<string>((resolve, reject) => {
        asked.push({ question, signal, resolve, reject });
      }),
    {
      answer: (answer) => heard.push(answer),
      failure: (error) => heard.push(String(error)),
      busy: (now) => {
        busy = now;
      },
    },
    120,
  );
});
afterEach(() => {
  mock.timers.reset();
});

const settle = async () => {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
};
const questions = () => asked.map(({ question }) => question);

test("letters within the pause are one question, the last", () => {
  newest.soon("r");
  mock.timers.tick(119);
  newest.soon("re");
  mock.timers.tick(119);
  assert.deepEqual(questions(), []);
  assert.equal(busy, true);
  mock.timers.tick(1);
  assert.deepEqual(questions(), ["re"]);
});

test("a new letter cancels the question before at once, and its late answer is not heard", async () => {
  newest.soon("a");
  mock.timers.tick(120);
  newest.soon("ab");
  assert.equal(asked[0]?.signal.aborted, true);
  asked[0].resolve("late");
  await settle();
  assert.deepEqual(heard, []);
  mock.timers.tick(120);
  asked[1]?.resolve("new");
  await settle();
  assert.deepEqual([heard, busy], [["new"], false]);
});

test("answers that come in the wrong order: the newest wins", async () => {
  void newest.now("a");
  void newest.now("b");
  asked[1]?.resolve("B");
  await settle();
  asked[0]?.resolve("A");
  await settle();
  assert.deepEqual(heard, ["B"]);
});

test("a failure of the newest is heard, that of an older one is not", async () => {
  void newest.now("a");
  void newest.now("b");
  asked[0]?.reject(new Error("old"));
  await settle();
  assert.deepEqual([heard, busy], [[], true]);
  asked[1]?.reject(new Error("new"));
  await settle();
  assert.deepEqual([heard, busy], [["Error: new"], false]);
});

test("after a cancel nothing is asked and nothing is heard", async () => {
  newest.soon("a");
  newest.cancel();
  mock.timers.tick(1000);
  assert.deepEqual([questions(), busy], [[], false]);
  void newest.now("b");
  newest.cancel();
  asked[0]?.resolve("B");
  await settle();
  assert.deepEqual(heard, []);
});
