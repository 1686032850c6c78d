;;; lsp-mode, with the page's own code. It sends `rootUri' alone, and knows no `window/showDocument'.  -*- lexical-binding: t -*-
(require 'lsp-modeline)
(require 'lsp-lens)
(setq lsp-session-file (expand-file-name "session" (getenv "HOME")) lsp-enable-snippet nil lsp-auto-guess-root t
      lsp-enable-file-watchers nil lsp-headerline-breadcrumb-enable nil lsp-restart 'ignore lsp-enable-folding nil
      lsp-diagnostics-provider :none lsp-modeline-diagnostics-enable nil lsp-modeline-code-actions-enable nil
      lsp-modeline-workspace-status-enable nil lsp-lens-enable nil lsp-keep-workspace-alive nil
      lsp-enabled-clients '(ddg-lsp))
(lsp-workspace-folders-add root)
(defun ask-raw (method params) (with-lsp-workspace (lsp-find-workspace 'ddg-lsp) (lsp-request method params)))
(finish
 (lambda ()
   (find-file (concat root "app.py"))
   (lsp)
   (wait-for "server" (lambda ()
                        (and lsp--buffer-workspaces
                             (eq 'initialized (lsp--workspace-status (car lsp--buffer-workspaces))))))
   (wait-for "index"
             (lambda ()
               (let ((status (ask-raw "workspace/executeCommand"
                                      '(:command "ddg.server.showStatus" :arguments [(:silent t)]))))
                 (equal "ready" (gethash "state" (gethash "index" status))))))
   (let ((shown (choosing "ddg-ask" (lambda () (ddg-ask "retry policy failed requests")))))
     (check "ddg-ask from a program" (equal (here) "guide 🚀.md:5 ## 𝔘nicode 🎉 retry policy") (here))
     (check "weak hits are marked" (cl-some (lambda (one) (string-prefix-p "~ " one)) shown)))
   (find-file (concat root "app.py"))
   (goto-char (point-min))
   (search-forward "# ba")
   (let ((actions (lsp-code-actions-at-point)))
     (check "code action" (string-prefix-p "Open docs: Operations" (gethash "title" (elt actions 0))))
     (lsp-execute-code-action (elt actions 0)))
   (check "code action opens" (string-prefix-p "ops.md:5" (here)) (here))
   (let ((found (ask-raw "workspace/symbol" '(:query "apple pie"))))
     (check "workspace/symbol" (equal "Apple pie" (gethash "name" (elt found 0)))))))
