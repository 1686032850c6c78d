;;; Checks and waiting for the tests in batch mode.  -*- lexical-binding: t -*-
(dolist (folder (file-expand-wildcards "/usr/share/emacs/site-lisp/elpa-src/*")) (add-to-list 'load-path folder))
(set-language-environment "UTF-8")
(require 'cl-lib)
(require 'markdown-mode)
(defvar root (file-name-as-directory (getenv "DDG_ROOT")))
(defvar failed 0)

(defun check (name ok &optional detail)
  "Report whether NAME is OK."
  (unless ok (cl-incf failed))
  (princ (format "%s %s%s\n" (if ok "ok  " "FAIL") name (if detail (format " [%s]" detail) ""))))

(defun wait-for (what found)
  "Wait until the function FOUND is true; WHAT names it."
  (let ((end (+ (float-time) 60)) value)
    (while (and (not (setq value (funcall found))) (< (float-time) end)) (accept-process-output nil 0.05))
    (or value (error "Not in time: %s" what))))

(defun choosing (name act)
  "Call ACT while the first choice is taken wherever one is asked for; return the choices. NAME is checked for order."
  (let (shown)
    (cl-letf (((symbol-function 'completing-read)
               (lambda (_prompt table &rest _)
                 (let* ((all (all-completions "" table))
                        (order (and (functionp table) (alist-get 'display-sort-function (cdr (funcall table "" nil 'metadata))))))
                   (setq shown (if order (funcall order all) all))
                   (check (concat name ": our order is kept") (eq order 'identity))
                   (car shown)))))
      (funcall act))
    shown))

(defun here () "File and line of what is shown, and its text."
  (with-current-buffer (window-buffer)
    (format "%s:%d %s" (file-name-nondirectory (or buffer-file-name "")) (line-number-at-pos)
            (buffer-substring-no-properties (line-beginning-position) (line-end-position)))))

(defun finish (act)
  "Run ACT, and end with its success."
  (condition-case err (funcall act) (error (check "no error" nil (error-message-string err))))
  (kill-emacs (if (= failed 0) 0 1)))
