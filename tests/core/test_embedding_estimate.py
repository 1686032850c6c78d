"""The token estimate is rather too high than too low, and a text is cut to it exactly."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ddg_lsp.core.embedding.e5 import E5Embedder
from ddg_lsp.core.embedding.token_estimate import SPECIAL_TOKENS, cut_to_estimate, estimate_tokens

PROSE = {
    "en": "Set the time limit in the settings file; a request that takes longer is cancelled (see `timeout_s`).",
    "de": "Die Zeitüberschreitung steht in der Einstellungsdatei; längere Anfragen werden abgebrochen.",
    "ko": "설정 파일에서 시간 제한을 바꾸십시오. 더 오래 걸리는 요청은 취소됩니다.",
    "ja": "設定ファイルでタイムアウトの値を変更してください。それより長い要求は取り消されます。",
    "zh": "请在配置文件中更改超时值。耗时更长的请求将被取消。",
    "ru": "Измените время ожидания в файле настроек; более долгие запросы отменяются.",
    "el": "Αλλάξτε το χρονικό όριο στο αρχείο ρυθμίσεων· τα μεγαλύτερα αιτήματα ακυρώνονται.",
    "ar": "غيّر المهلة في ملف الإعدادات، وتُلغى الطلبات التي تستغرق وقتًا أطول.",
    "th": "เปลี่ยนค่าหมดเวลาในไฟล์การตั้งค่า คำขอที่ใช้เวลานานกว่านั้นจะถูกยกเลิก",
    "hi": "सेटिंग फ़ाइल में समय सीमा बदलें; अधिक समय लेने वाले अनुरोध रद्द कर दिए जाते हैं।",
    "vi": "Thay đổi giới hạn thời gian trong tệp cấu hình; các yêu cầu lâu hơn sẽ bị hủy.",
    "code": "def wait(limit_s: float = 30.0) -> None:\n    time.sleep(min(limit_s, MAX[i + 1]))\n",
    "table": "| a | b |\n|---|---|\n| 1 | `x_y` |\n",
    "emoji": "🚀 ship it 🎉 👩‍💻",
}


def test_it_is_not_below_what_a_multilingual_model_counts() -> None:
    texts = [f"passage: {text * times}" for text in PROSE.values() for times in (1, 5)]
    counted = E5Embedder().count_tokens(texts)
    wrong = [(t, n) for t, n in zip(texts, counted, strict=True) if not n <= estimate_tokens(t) <= 4 * n]
    assert not wrong


@given(st.text(max_size=200) | st.text("abc XYZ\n", max_size=200), st.integers(SPECIAL_TOKENS, 60))
def test_a_cut_text_is_a_beginning_and_within_the_limit(text: str, limit: int) -> None:
    cut = cut_to_estimate(text, limit)
    assert text.startswith(cut)
    assert estimate_tokens(cut) <= limit
    if cut != text:
        assert estimate_tokens(text) > limit


@given(st.text(max_size=100), st.text(max_size=100))
def test_more_text_never_counts_much_less(one: str, two: str) -> None:
    together = estimate_tokens(one + two) - SPECIAL_TOKENS
    apart = estimate_tokens(one) + estimate_tokens(two) - 2 * SPECIAL_TOKENS
    assert together >= estimate_tokens(one) - SPECIAL_TOKENS - 1
    assert apart / 2 - 2 <= together <= apart * 1.5 + 2


def test_a_blob_without_a_blank_is_cut_inside() -> None:
    cut = cut_to_estimate("x" * 10_000, 64)
    assert estimate_tokens(cut) <= 64
    assert len(cut) >= 64


def test_nothing_counts_its_special_tokens() -> None:
    assert estimate_tokens("") == SPECIAL_TOKENS
