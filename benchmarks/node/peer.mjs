// The quantised model in onnxruntime-node, which is what transformers.js runs underneath, given ready tokens: one JSON
// line of token ids in, one line of base64 float32 vectors out. Batches of 8 sorted by length, as the bare session's.
import { createInterface } from "node:readline";
import ort from "onnxruntime-node";

const [model, threads] = [process.argv[2], Number(process.argv[3])];
const BATCH = 8;
const PAD = 1;
const session = await ort.InferenceSession.create(model, { intraOpNumThreads: threads, logSeverityLevel: 3 });

async function embedded(texts) {
  const order = texts.map((_, row) => row).sort((one, other) => texts[one].length - texts[other].length);
  const vectors = [];
  for (let start = 0; start < order.length; start += BATCH) {
    const rows = order.slice(start, start + BATCH);
    const length = Math.max(...rows.map((row) => texts[row].length));
    const ids = new Int32Array(rows.length * length).fill(PAD);
    const mask = new Int32Array(rows.length * length);
    rows.forEach((row, at) => {
      ids.set(texts[row], at * length);
      mask.fill(1, at * length, at * length + texts[row].length);
    });
    const shape = [rows.length, length];
    const found = await session.run({
      ids: new ort.Tensor("int32", ids, shape),
      mask: new ort.Tensor("int32", mask, shape),
    });
    const { data } = found[session.outputNames[0]];
    const width = data.length / rows.length;
    rows.forEach((row, at) => (vectors[row] = data.slice(at * width, (at + 1) * width)));
  }
  return vectors;
}

for await (const line of createInterface({ input: process.stdin })) {
  const vectors = await embedded(JSON.parse(line));
  const bytes = Buffer.concat(vectors.map((vector) => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)));
  process.stdout.write(`${bytes.toString("base64")}\n`);
}
