"""Tokens of multilingual-e5-small: XLM-R's SentencePiece model, put together from the pieces in the weights file.

Owns text -> token ids. Must not know the model that takes them. The ids are XLM-R's own; `<s>` and its like written in
a text are ordinary characters.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from ddg_lsp.core.embedding.e5_weights import BOS, EOS, PAD, UNK, Weights
from ddg_lsp.core.embedding.foreign import first_line, foreign_calls

VERSION = 1
"""Raised when the same weights give another SentencePiece model."""

_SPECIAL = (BOS, PAD, EOS)


def build_tokenizer(weights: Weights) -> bytes:
    """The SentencePiece model, serialised; its piece ids are the model's token ids (about a second, 5.5 MB)."""
    with foreign_calls(lambda error: f"The built-in model's tokenizer cannot be built: {first_line(error)}"):
        return _serialised(weights)


def _serialised(weights: Weights) -> bytes:
    from sentencepiece import SentencePieceTrainer, sentencepiece_model_pb2

    # Only the library's trainer writes the compiled character rules (NMT's variant of NFKC) XLM-R was trained with.
    toy = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(["a b c d e f g h"]),
        model_writer=toy,
        vocab_size=13,
        hard_vocab_limit=False,
        model_type="unigram",
        normalization_rule_name="nmt_nfkc",
        minloglevel=2,
    )
    model = sentencepiece_model_pb2.ModelProto.FromString(toy.getvalue())
    del model.pieces[:]
    model.trainer_spec.Clear()
    for name, piece_id in (("bos_id", BOS), ("pad_id", PAD), ("eos_id", EOS), ("unk_id", UNK)):
        setattr(model.trainer_spec, name, piece_id)
    kind = sentencepiece_model_pb2.ModelProto.SentencePiece
    pieces, scores = weights.vocabulary()
    kinds = {UNK: kind.UNKNOWN, **dict.fromkeys((*_SPECIAL, len(pieces) - 1), kind.CONTROL)}
    for piece_id, (piece, score) in enumerate(zip(pieces, scores.tolist(), strict=True)):
        model.pieces.add(piece=piece.decode(), score=score, type=kinds.get(piece_id, kind.NORMAL))
    serialised: bytes = model.SerializeToString()
    return serialised


class E5Tokenizer:
    """Turns text into token ids; loads in about half a second and takes 60 MB."""

    def __init__(self, serialised: bytes) -> None:
        with foreign_calls(lambda error: f"The built-in model's tokenizer cannot be loaded: {first_line(error)}"):
            from sentencepiece import SentencePieceProcessor

            self._processor: Any = SentencePieceProcessor(model_proto=serialised)

    def encode(self, texts: Sequence[str], limit: int | None = None) -> list[list[int]]:
        """Token ids of each text, start and end tokens included, cut to `limit` in front of the end token."""
        kept = None if limit is None else max(limit - 2, 0)
        return [[BOS, *ids[:kept], EOS] for ids in self._encode(texts)]

    def count(self, texts: Sequence[str]) -> list[int]:
        """How many tokens `encode` gives for each text without a limit."""
        return [len(ids) + 2 for ids in self._encode(texts)]

    def _encode(self, texts: Sequence[str]) -> list[list[int]]:
        # Half a surrogate pair has no UTF-8; documents never hold one, a question typed into an editor may.
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        ids: list[list[int]] = self._processor.encode(clean, out_type=int, num_threads=1)
        return ids
