package weakenedcheck

import (
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
)

func TestWeakenedCheck(t *testing.T) { detecttest.Run(t, Detector) }

func TestRandomConversations(t *testing.T) {
	detecttest.RunRandom(t, Detector, []string{
		"pytest", "assert total(1) == 2", "assert True", "tests/test_total.py", "FAILED tests/test_total.py::test_total - assert 1 == 2",
		"@pytest.mark.skip", "git commit --no-verify -m x", "npm test || true", "timeout = 30", "//nolint:errcheck",
		"Do not modify tests.", "def test_total():\n    assert total(1) == 2", "expect(x).toBe(1);", "sed -i '/assert/d' tests/test_total.py",
	})
}
